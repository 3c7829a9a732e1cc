import { setTimeout as sleep } from 'node:timers/promises';
import { CannotRunError, ServerError } from '../exit-codes.ts';
import { fetchJson, secureAddress, type JsonAnswer } from './fetch-json.ts';
import type { SignInService } from './find-issuer.ts';

/** The issuer's answer to a sign-in. */
export interface IssuedTokens {
  readonly accessToken: string;
  /** Null if the issuer gives none. */
  readonly refreshToken: string | null;
  /** Null if the issuer does not say it. */
  readonly expiresAtMs: number | null;
}

const STANDARD_INTERVAL_SECONDS = 5;
const MAX_INTERVAL_SECONDS = 60;
const MAX_LIFETIME_SECONDS = 1_800;
const PAGE = "The issuer's sign-in page";
/** Errors of a refresh after which only a new sign-in helps (RFC 6749, 5.2; OpenID Connect Core, 3.1.2.6). */
const ENDED = new Set<unknown>([
  'invalid_grant',
  'interaction_required',
  'login_required',
  'consent_required',
]);
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Signs a person in who uses a browser, maybe on another machine (RFC 8628): `prompt` gets the address, with the code in it
 * where the issuer has such an address, and the code.
 * @throws CannotRunError if the issuer or the person refuses, or the code expires.
 */
export async function signInByDevice(
  service: SignInService,
  prompt: (address: string, userCode: string) => void,
): Promise<IssuedTokens> {
  const { clientId, scope, requestParameters, deviceEndpoint, tokenEndpoint } = service;
  const started = await fetchJson(deviceEndpoint, { ...requestParameters, client_id: clientId, scope });
  const { device_code: deviceCode, user_code: userCode, verification_uri: address } = started.body;
  if (started.status !== 200 || typeof deviceCode !== 'string' || typeof userCode !== 'string')
    throw refusalOf(started);
  const { verification_uri_complete: complete = address } = started.body;
  prompt(secureAddress(complete, PAGE), userCode);
  const lifetimeSeconds = secondsOf(started.body['expires_in'], MAX_LIFETIME_SECONDS, MAX_LIFETIME_SECONDS);
  const endMs = Date.now() + lifetimeSeconds * 1_000;
  let interval = secondsOf(started.body['interval'], STANDARD_INTERVAL_SECONDS, MAX_INTERVAL_SECONDS);
  while (Date.now() < endMs) {
    await sleep(interval * 1_000);
    const polled = await poll(tokenEndpoint, {
      client_id: clientId,
      grant_type: GRANT,
      device_code: deviceCode,
    });
    if (polled === 'slow_down') interval = Math.min(interval + 5, MAX_INTERVAL_SECONDS);
    else if (polled !== 'authorization_pending') return polled;
  }
  throw codeExpired();
}

function codeExpired(): CannotRunError {
  return new CannotRunError('The code has expired. Run the same command again.');
}

async function poll(
  tokenEndpoint: string,
  form: Readonly<Record<string, string>>,
): Promise<IssuedTokens | 'authorization_pending' | 'slow_down'> {
  let answer: JsonAnswer;
  try {
    answer = await fetchJson(tokenEndpoint, form);
  } catch (error) {
    // RFC 8628, 3.5: without an answer, poll less often.
    if (error instanceof ServerError && error.isTemporary) return 'slow_down';
    throw error;
  }
  const { error } = answer.body;
  if (error === 'authorization_pending' || error === 'slow_down') return error;
  // Issuers forget expired codes.
  if (error === 'expired_token' || error === 'invalid_grant') throw codeExpired();
  return tokensOf(answer);
}

/** New tokens for a refresh token; null if only a new sign-in helps. @throws CannotRunError */
export async function refreshTokens(
  tokenEndpoint: string,
  clientId: string,
  refreshToken: string,
): Promise<IssuedTokens | null> {
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
  const answer = await fetchJson(tokenEndpoint, form);
  if (ENDED.has(answer.body['error'])) return null;
  const issued = tokensOf(answer);
  return { ...issued, refreshToken: issued.refreshToken ?? refreshToken };
}

function tokensOf(answer: JsonAnswer): IssuedTokens {
  const {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: type,
    expires_in: expires,
  } = answer.body;
  if (answer.status !== 200 || typeof accessToken !== 'string' || String(type).toLowerCase() !== 'bearer')
    throw refusalOf(answer);
  return {
    accessToken,
    refreshToken: typeof refreshToken === 'string' ? refreshToken : null,
    expiresAtMs:
      typeof expires === 'number' && Number.isFinite(expires) ? Date.now() + expires * 1_000 : null,
  };
}

/** Only the code of the error is shown: a description may repeat what was sent. */
function refusalOf({ body: { error } }: JsonAnswer): CannotRunError {
  if (error === 'access_denied') return new CannotRunError('The sign-in was refused in the browser.');
  const code = typeof error === 'string' && /^[\w.-]{1,60}$/.test(error) ? error : 'an unknown error';
  return new CannotRunError(`The issuer refused the sign-in: ${code}.`);
}

function secondsOf(value: unknown, standard: number, max: number): number {
  return typeof value === 'number' && value > 0 ? Math.min(value, max) : standard;
}
