import { CannotRunError, reasonOf } from './exit-codes.ts';

/** How a CI run gets a token that says which run it is; null: it does not. */
export interface CiTokenSource {
  /** The token itself, as GitLab puts it into a variable. */
  readonly idToken: string | null;
  /** Where GitHub gives tokens to a job with `permissions: id-token: write`, and the job's credential for that. */
  readonly request: { readonly url: string; readonly token: string } | null;
}

const TIMEOUT_MS = 30_000;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Reads the variables of the CI services. */
export function readCiTokenSource(text: (name: string) => string | null): CiTokenSource {
  const [url, token] = [text('ACTIONS_ID_TOKEN_REQUEST_URL'), text('ACTIONS_ID_TOKEN_REQUEST_TOKEN')];
  return {
    idToken: text('MODULECTL_ID_TOKEN'),
    request: url === null || token === null ? null : { url, token },
  };
}

/** The token of this CI run, for the audience where it can be chosen. @throws CannotRunError */
export async function readCiToken({ idToken, request }: CiTokenSource, audience: string): Promise<string> {
  if (idToken !== null) return idToken;
  if (request !== null) return requestToken(request, audience);
  throw new CannotRunError(
    'This is not a CI run with a token. In GitHub Actions, give the job the permission id-token: write. In GitLab ' +
      'CI/CD, declare MODULECTL_ID_TOKEN under id_tokens. Elsewhere, put the token into MODULECTL_ID_TOKEN.',
  );
}

/** Messages contain neither the credential nor the token. */
async function requestToken(
  { url, token }: NonNullable<CiTokenSource['request']>,
  audience: string,
): Promise<string> {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || (address.protocol !== 'https:' && !LOOPBACK.has(address.hostname)))
    throw new CannotRunError('ACTIONS_ID_TOKEN_REQUEST_URL must start with https://.');
  address.searchParams.set('audience', audience);
  const response = await fetch(address, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new CannotRunError(`GitHub does not answer with a token: ${causeOf(error)}.`);
  });
  const body: unknown = response.ok ? await response.json().catch(() => null) : null;
  if (typeof body === 'object' && body !== null && 'value' in body && typeof body.value === 'string')
    return body.value;
  throw new CannotRunError(`GitHub did not answer with a token, but with status ${response.status}.`);
}

function causeOf(error: unknown): string {
  return reasonOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
