import { CannotRunError } from './exit-codes.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The server did not answer, or not now: an older answer may do. */
export class ServerUnreachableError extends CannotRunError {}

/** @throws CannotRunError where a token would travel so that others can read it. */
export function refuseOpenToken({ protocol, hostname }: URL): void {
  if (protocol === 'http:' && !LOOPBACK.has(hostname))
    throw new CannotRunError('The token is not sent over http, where others can read it. Use https.');
}

/**
 * Reads a JSON answer of a server. A redirect is refused: it would carry the token to another address.
 * @throws ServerUnreachableError when there is no answer.
 * @throws CannotRunError when the answer is a refusal or no JSON.
 */
export async function askServer(server: string, path: string, token: string | null): Promise<unknown> {
  const url = new URL(`${server}${path}`);
  if (token !== null) refuseOpenToken(url);
  const headers = { Accept: 'application/json', ...(token !== null && { Authorization: `Bearer ${token}` }) };
  const unreachable = `${url.origin} does not answer.`;
  const response = await fetch(url, {
    headers,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new ServerUnreachableError(unreachable);
  });
  if (response.status >= 500)
    throw new ServerUnreachableError(`${url.origin} answers with status ${response.status}.`);
  if (response.status === 401) throw new CannotRunError(`${url.origin} does not accept the token.`);
  if (!response.ok) throw new CannotRunError(`${url.href} answers with status ${response.status}.`);
  const text = await readText(response).catch((error: unknown) => {
    throw error instanceof CannotRunError ? error : new ServerUnreachableError(unreachable);
  });
  try {
    return JSON.parse(text);
  } catch {
    throw new CannotRunError(`${url.href} does not answer with JSON. Is the address right?`);
  }
}

async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const pieces: Uint8Array[] = [];
  let readBytes = 0;
  for (;;) {
    const next = await reader?.read();
    if (next === undefined || next.done) return Buffer.concat(pieces).toString('utf8');
    const piece: unknown = next.value;
    if (!(piece instanceof Uint8Array)) throw new TypeError('an answer is made of bytes');
    readBytes += piece.length;
    if (readBytes > MAX_ANSWER_BYTES) throw new CannotRunError(`${response.url} answers without an end.`);
    pieces.push(piece);
  }
}
