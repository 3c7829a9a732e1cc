import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { listenAt } from './listen-at.ts';

export interface TokenClaims {
  readonly organizations?: readonly { readonly id: string; readonly roles: readonly string[] }[];
  readonly operator?: boolean;
  /** Seconds from now; negative for an expired token. */
  readonly expiresIn?: number;
  readonly audience?: string;
  readonly issuer?: string;
  readonly subject?: string;
  /** Any other claims. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** An OpenID Connect issuer of one test app. */
export interface TestIssuer {
  readonly url: string;
  token(claims: TokenClaims): Promise<string>;
  stop(): Promise<void>;
  /** Has a stopped one listen at its address again. */
  start(): Promise<void>;
}

/** Starts an issuer with a key of its own, on a free port where none is named; with a certificate, it speaks TLS. */
export async function startTestIssuer(
  address = '127.0.0.1',
  port = 0,
  certificate?: { readonly key: Buffer; readonly cert: Buffer },
): Promise<TestIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256', use: 'sig' };
  const answer: RequestListener = (request, response) => {
    const isDiscovery = request.url === '/.well-known/openid-configuration';
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify(isDiscovery ? { issuer: url, jwks_uri: `${url}/jwks.json` } : { keys: [jwk] }),
    );
  };
  const server = certificate === undefined ? createServer(answer) : createTlsServer(certificate, answer);
  await listenAt(server, port, address);
  const { port: ownPort } = server.address() as AddressInfo;
  const url = `${certificate === undefined ? 'http' : 'https'}://${address}:${ownPort}`;
  return {
    url,
    async token({
      organizations = [],
      operator = false,
      expiresIn = 3_600,
      audience = 'module-import-service',
      issuer = url,
      subject = 'tester',
      claims = {},
    }) {
      const expiry = Math.floor(Date.now() / 1_000) + expiresIn;
      return new SignJWT({ organizations, ...(operator && { roles: ['operator'] }), ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'test' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt()
        .setExpirationTime(expiry)
        .sign(privateKey);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    start: () => listenAt(server, ownPort, address),
  };
}
