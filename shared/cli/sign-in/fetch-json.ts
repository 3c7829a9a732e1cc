import { parseMembers, type Members } from '../../package/schema/read-members.ts';
import { CannotRunError, ServerError, unanswered } from '../exit-codes.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 256 * 1024;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The answer of an issuer or a server: a status and the members of its JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: Members;
}

/** Whether secrets may be sent to an address: by https, or on this machine. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

/** An address that secrets may be sent to. @throws CannotRunError if it is none */
export function secureAddress(value: unknown, name: string): string {
  if (typeof value !== 'string' || !URL.canParse(value))
    throw new CannotRunError(`${name} has no valid address.`);
  if (!isSecure(new URL(value)))
    throw new CannotRunError(
      `${name} has an address without https, where others can read and change what is sent.`,
    );
  return value;
}

/**
 * Fetches JSON, or sends a form for it. Redirects are refused: they would carry secrets to another address.
 * @throws ServerError if there is no answer, and CannotRunError if it is a redirect or not JSON.
 */
export async function fetchJson(
  address: string,
  form?: Readonly<Record<string, string>>,
): Promise<JsonAnswer> {
  const { origin } = new URL(address);
  const failed = (error: unknown): never => {
    throw unanswered(origin, error);
  };
  const response = await fetch(address, {
    headers: { Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
  }).catch(failed);
  const text = await textOf(response).catch(failed);
  const { status } = response;
  if (status === 429 || status >= 500)
    throw new ServerError(status, `${origin} answered with status ${status}.`);
  const body = parseMembers(text);
  if (body === null)
    throw new CannotRunError(`${origin} did not answer with a JSON object. Is the address right?`);
  return { status, body };
}

async function textOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > MAX_BYTES) throw new Error('the answer is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
