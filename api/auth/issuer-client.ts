import * as openid from 'openid-client';
import type { PortalConfig } from '../../shared/config/portal-config.ts';

/** What is kept in the browser during a sign-in, to match the issuer's answer to its request. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The result of a sign-in. */
export interface IssuedTokens {
  readonly accessToken: string;
  /** The person's name in the ID token; null if there is none. */
  readonly name: string | null;
  /** Null if the issuer does not report it. */
  readonly expiresInSeconds: number | null;
}

/** The issuer or the person refused the sign-in; the message is for people. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
}

const TIMEOUT_SECONDS = 10;
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Signs people in at one issuer: OpenID Connect's authorization code with PKCE (RFC 7636). */
export class IssuerClient {
  readonly #issuer: URL;
  readonly #portal: PortalConfig;
  #configuration: Promise<openid.Configuration> | null = null;

  constructor(issuer: string, portal: PortalConfig) {
    this.#issuer = new URL(issuer);
    this.#portal = portal;
  }

  /** The address to redirect the browser to. @throws if the issuer is unavailable. */
  async start(redirectUri: string): Promise<{ address: URL; pending: PendingSignIn }> {
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
      const name = claims?.['name'] ?? claims?.['preferred_username'] ?? claims?.['email'];
      return {
        accessToken: tokens.access_token,
        name: typeof name === 'string' ? name : null,
        expiresInSeconds: tokens.expires_in ?? null,
      };
    } catch (error) {
      throw isRefusal(error) ? new SignInRefused(refusalText(error), { cause: error }) : error;
    }
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
    const execute = [openid.enableNonRepudiationChecks];
    // The local development issuer, on loopback, uses plain HTTP. For any other issuer the library refuses it,
    // because tokens could be intercepted.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- plain HTTP only for an issuer on loopback
    if (LOOPBACK.has(this.#issuer.hostname)) execute.push(openid.allowInsecureRequests);
    const authentication = clientSecret === null ? openid.None() : openid.ClientSecretPost(clientSecret);
    return openid.discovery(this.#issuer, clientId, {}, authentication, {
      execute,
      timeout: TIMEOUT_SECONDS,
    });
  }
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
