import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import { portOf } from '../../shared/local/free-port.ts';
import type { IdentityProvider, ProviderRequest } from './identity-provider.ts';

const ACCESS_TOKEN_SECONDS = 6;
const OTHER_AUDIENCE = 'https://other.example';
const OPAQUE = 'https://opaque.example';
const SECRET = 'a-secret-of-the-test';

async function newKeys() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { keys: [{ ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' }] };
}

/** Starts `oidc-provider`, with its own pages for development. */
export async function startOidcProvider(request: ProviderRequest): Promise<IdentityProvider> {
  let handler: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = createServer((incoming, response) => void handler(incoming, response)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${portOf(server)}`;
  const serve = async () => {
    handler = new Provider(issuer, { ...configurationOf(request), jwks: await newKeys() }).callback();
  };
  await serve();
  return {
    issuer,
    accessTokenSeconds: ACCESS_TOKEN_SECONDS,
    settings: {
      PORTAL_CLIENT_ID: 'portal',
      PORTAL_CLIENT_SECRET: SECRET,
      PORTAL_SCOPE: 'openid profile offline_access',
      AUTH_REQUEST_PARAMETERS: 'prompt=consent',
    },
    pages: {
      name: 'input[name=login]',
      password: 'input[name=password]',
      logIn: 'button[type=submit]',
      consent: 'button:has-text("Continue")',
      signOut: 'button:has-text("Yes, sign me out")',
    },
    async endSessions(_person, page) {
      const other = await page.context().newPage();
      await other.goto(`${issuer}/session/end`);
      await other.locator('button:has-text("Yes, sign me out")').click();
      await other.waitForURL(/success/);
    },
    async programToken(kind) {
      const resource = { service: request.audience, 'other audience': OTHER_AUDIENCE, opaque: OPAQUE }[kind];
      const form = {
        grant_type: 'client_credentials',
        client_id: 'program',
        client_secret: SECRET,
        resource,
      };
      const answer = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) });
      const { access_token } = (await answer.json()) as { access_token: string };
      return access_token;
    },
    rotateKeys: serve,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function configurationOf({ serviceUrl, audience, organizationId, group }: ProviderRequest): Configuration {
  const claims: Readonly<Record<string, Record<string, unknown>>> = {
    vera: { organizations: [{ id: organizationId, roles: ['OrganizationAdmin'] }] },
    otto: { roles: ['operator'] },
    greta: { groups: [group] },
  };
  return {
    clients: [
      {
        client_id: 'portal',
        client_secret: SECRET,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [`${serviceUrl}/portal/sign-in/callback`],
        post_logout_redirect_uris: [`${serviceUrl}/portal`],
        grant_types: ['authorization_code', 'refresh_token'],
        backchannel_logout_uri: `${serviceUrl}/portal/sign-in/back-channel-logout`,
        backchannel_logout_session_required: true,
      },
      {
        client_id: 'program',
        client_secret: SECRET,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
      },
    ],
    cookies: { keys: ['for-tests-only'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, name: id }) }),
    claims: { openid: ['sub'], profile: ['name'] },
    fetch: fetchOnLoopback,
    rotateRefreshToken: true,
    extraTokenClaims: (_context, token) => ('accountId' in token ? claims[token.accountId] : undefined),
    features: {
      backchannelLogout: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: '',
          audience: resource,
          accessTokenTTL: ACCESS_TOKEN_SECONDS,
          accessTokenFormat: resource === OPAQUE ? 'opaque' : 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  };
}

/**
 * Without the provider's own dispatcher, which calls no loopback address, and without its time limit of seconds: it sends
 * a logout token once, and a machine that runs many tests may take longer to answer.
 */
async function fetchOnLoopback(url: string | URL | Request, options: RequestInit = {}): Promise<Response> {
  const others = { ...options };
  Reflect.deleteProperty(others, 'dispatcher');
  Reflect.deleteProperty(others, 'signal');
  return fetch(url, others);
}
