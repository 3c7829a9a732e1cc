import * as openid from 'openid-client';
import { decodeJwt, errors, type JWTVerifyGetKey } from 'jose';
import type { IssuerSession } from '../../shared/db/access/sessions/issuer-logouts.ts';
import type { SessionTokens } from '../../shared/db/access/sessions/session-tokens.ts';
import type { PortalConfig } from '../../shared/config/identity-config.ts';
import { ProblemError, unavailable } from '../http/problem.ts';
import { personName } from './claims.ts';
import { discoverIssuer } from './discover-issuer.ts';

/** State kept in the browser during a sign-in, to match the issuer's answer to its request. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The result of a sign-in. */
export interface IssuedTokens extends SessionTokens, IssuerSession {
  /** The person's name in the ID token; null if there is none. */
  readonly name: string | null;
}

/** The issuer or the person refused the sign-in; the message is for people. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
}

/** The longest time of one call to the issuer. */
export const CALL_MS = 7_000;
/** The longest time of what needs an answer of the issuer: its document has to be fetched first. A client waits for both. */
export const ISSUER_MS = 2 * CALL_MS;
/** A longer ID token, such as one with many groups, does not fit into an address. */
const MAX_HINT_LENGTH = 4_000;
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Signs people in at one issuer: OpenID Connect's authorization code with PKCE (RFC 7636). */
export class IssuerClient {
  readonly #portal: PortalConfig;
  /** The issuer and the audience of accepted logout tokens, and the keys of the issuer. */
  readonly logoutTokens: {
    readonly issuer: string;
    readonly audience: string;
    readonly keys: JWTVerifyGetKey;
  };
  #configuration: Promise<openid.Configuration> | null = null;

  constructor(issuer: string, portal: PortalConfig, keys: JWTVerifyGetKey) {
    this.#portal = portal;
    this.logoutTokens = { issuer, audience: portal.clientId, keys };
  }

  /**
   * The address to redirect the browser to. `mustAsk`: the issuer asks who the person is, even if it knows.
   * @throws if the issuer is unavailable.
   */
  async start(redirectUri: string, mustAsk: boolean): Promise<{ address: URL; pending: PendingSignIn }> {
    const pending = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      codeVerifier: openid.randomPKCECodeVerifier(),
    };
    const address = openid.buildAuthorizationUrl(await this.#discovered(), {
      ...Object.fromEntries(this.#portal.requestParameters),
      redirect_uri: redirectUri,
      scope: this.#portal.scope,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: 'S256',
      ...(mustAsk && { prompt: this.#askingPrompt() }),
    });
    return { address, pending };
  }

  /**
   * Exchanges the code in the callback's address for tokens.
   * @throws SignInRefused if the answer is a refusal or belongs to another request.
   */
  async finish(
    address: URL,
    { state, nonce, codeVerifier: pkceCodeVerifier }: PendingSignIn,
  ): Promise<IssuedTokens> {
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier, idTokenExpected: true };
    try {
      const tokens = await openid.authorizationCodeGrant(await this.#discovered(), address, checks);
      const claims = tokens.claims();
      return {
        ...sessionTokens(tokens),
        name: personName({ ...claims }),
        issuerSessionId: textOf(claims?.['sid']),
        issuerSubject: claims?.sub ?? null,
        issuedAt: claims === undefined ? null : new Date(claims.iat * 1_000),
      };
    } catch (error) {
      throw isRefusal(error) ? new SignInRefused(refusalText(error), { cause: error }) : error;
    }
  }

  /**
   * Exchanges a refresh token for new tokens. Where the issuer keeps the refresh token or the ID token, so does the
   * session. A refresh token may be used once, so it is not sent where there is not enough time for the answer.
   * @param endMs the end of the right to use it, by `performance.now()`
   * @throws SignInRefused if the issuer has ended the sign-in. Any other error is a failure of the network, of the issuer
   *   or of the settings.
   */
  async refresh(refreshToken: string, idToken: string | null, endMs: number): Promise<SessionTokens> {
    const configuration = await this.#discovered();
    if (endMs - performance.now() < CALL_MS) throw new Error('there is no time left for the answer');
    try {
      const tokens = sessionTokens(await openid.refreshTokenGrant(configuration, refreshToken));
      return {
        ...tokens,
        refreshToken: tokens.refreshToken ?? refreshToken,
        idToken: tokens.idToken ?? idToken,
      };
    } catch (error) {
      if (error instanceof openid.ResponseBodyError && ENDED.has(error.error))
        throw new SignInRefused('The issuer has ended the sign-in.', { cause: error });
      throw error;
    }
  }

  /** Where the browser signs out at the issuer (RP-Initiated Logout 1.0); null: the issuer does not offer it. */
  async signOutAddress(idToken: string | null, returnTo: string): Promise<URL | null> {
    const configuration = await this.#discovered();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
    return openid.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: returnTo,
      ...(idToken !== null && idToken.length <= MAX_HINT_LENGTH && { id_token_hint: idToken }),
    });
  }

  /** Together with what the settings say, such as the consent that an issuer requires for a refresh token. */
  #askingPrompt(): string {
    const others = this.#portal.requestParameters.get('prompt')?.split(' ') ?? [];
    return [...new Set(['login', ...others])].join(' ');
  }

  async #discovered(): Promise<openid.Configuration> {
    this.#configuration ??= this.#discover();
    try {
      return await this.#configuration;
    } catch (error) {
      this.#configuration = null;
      throw error;
    }
  }

  async #discover(): Promise<openid.Configuration> {
    const { clientId, clientSecret } = this.#portal;
    const { issuer } = this.logoutTokens;
    const authentication = clientSecret === null ? openid.None() : openid.ClientSecretPost(clientSecret);
    const { members } = await discoverIssuer(issuer);
    const configuration = new openid.Configuration({ ...members, issuer }, clientId, {}, authentication);
    configuration.timeout = CALL_MS / 1_000;
    // The local development issuer, on loopback, uses plain HTTP. For any other issuer the library refuses it: TLS keeps
    // tokens secret, and proves whose ID token it is (OpenID Connect Core, 3.1.3.7, point 6).
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- plain HTTP only for an issuer on loopback
    if (LOOPBACK.has(new URL(issuer).hostname)) openid.allowInsecureRequests(configuration);
    return configuration;
  }
}

/** Errors of a refresh that mean that the person has to sign in again (OpenID Connect Core, 3.1.2.6). */
const ENDED = new Set(['invalid_grant', 'interaction_required', 'login_required', 'consent_required']);

/** The access token is verified where it is used; here only its end is read. */
function sessionTokens(tokens: openid.TokenEndpointResponse): SessionTokens {
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? null,
    idToken: tokens.id_token ?? null,
    lifetimeMs: readAccessToken(tokens.access_token).lifetimeMs,
  };
}

/** The subject of an access token, and the seconds for which it is still valid: 0 if it has expired, or is not a JWT. */
export function readAccessToken(accessToken: string): { subject: string | null; lifetimeMs: number } {
  try {
    const { sub = null, exp = 0 } = decodeJwt(accessToken);
    return { subject: sub, lifetimeMs: Math.max(0, exp * 1_000 - Date.now()) };
  } catch (error) {
    if (error instanceof errors.JWTInvalid) return { subject: null, lifetimeMs: 0 };
    throw error;
  }
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' && claim !== '' ? claim : null;
}

type Refusal = openid.AuthorizationResponseError | openid.ResponseBodyError | openid.ClientError;

/** A network failure is not a refusal. */
function isRefusal(error: unknown): error is Refusal {
  if (error instanceof openid.ClientError) return error.code !== 'OAUTH_TIMEOUT';
  return error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError;
}

function refusalText(error: Refusal): string {
  if (error instanceof openid.AuthorizationResponseError && error.error === 'access_denied')
    return 'The sign-in was cancelled.';
  return 'The issuer did not sign you in, or its answer belongs to an older attempt.';
}

/** The refusal of a request that needs the issuer while it is unavailable; a problem of the request itself stays one. */
export function issuerUnavailable(cause: unknown): ProblemError {
  if (cause instanceof ProblemError) return cause;
  return unavailable('The issuer is unavailable. Try again later.', undefined, cause);
}
