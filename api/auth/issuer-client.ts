import * as openid from 'openid-client';
import type { PortalConfig } from '../../shared/config/portal-config.ts';

/** What a browser carries to the issuer and back, so that the answer is known to belong to its question. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** What the issuer gave. */
export interface IssuedTokens {
  readonly accessToken: string;
  /** How the ID token names the person; null where it does not. */
  readonly name: string | null;
  /** Null where the issuer does not tell. */
  readonly expiresInSeconds: number | null;
}

/** The issuer or the person refused; the text is for people. */
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

  /** Where to send the browser. @throws where the issuer is out of reach. */
  async begin(redirectUri: string): Promise<{ address: URL; pending: PendingSignIn }> {
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
   * Takes the tokens for the code in the address that the browser came back to.
   * @throws SignInRefused where the answer is a refusal, or belongs to another question.
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
    // The local development issuer, on loopback, speaks plain HTTP. To any other issuer the library refuses it,
    // since tokens could be read on the way.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- plain HTTP, to an issuer on loopback alone
    if (LOOPBACK.has(this.#issuer.hostname)) execute.push(openid.allowInsecureRequests);
    const authentication = clientSecret === null ? openid.None() : openid.ClientSecretPost(clientSecret);
    return openid.discovery(this.#issuer, clientId, {}, authentication, {
      execute,
      timeout: TIMEOUT_SECONDS,
    });
  }
}

type Refusal = openid.AuthorizationResponseError | openid.ResponseBodyError | openid.ClientError;

/** A network that fails is no refusal. */
function isRefusal(error: unknown): error is Refusal {
  if (error instanceof openid.ClientError) return error.code !== 'OAUTH_TIMEOUT';
  return error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError;
}

function refusalText(error: Refusal): string {
  if (error instanceof openid.AuthorizationResponseError && error.error === 'access_denied')
    return 'The sign-in was cancelled.';
  return 'The issuer did not sign you in, or its answer belongs to an older attempt.';
}
