import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { codeOf } from '../process/error-code.ts';
import { listenFrom, portOf } from './free-port.ts';
import { issuerListener } from './issuer-endpoints.ts';
import type { IssuerIdentity } from './issuer-tokens.ts';

const FILE = 'issuer.json';

/** The identity stored in a directory; null if no stack has run on it. */
export async function readIssuer(directory: string): Promise<IssuerIdentity | null> {
  try {
    return JSON.parse(await readFile(path.join(directory, FILE), 'utf8')) as IssuerIdentity;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Starts the development issuer: discovery, keys, and sign-in without a password, for this machine only. Its
 * access tokens are for `audience`. Key and port stay the same across restarts, so that tokens remain valid.
 */
export async function startIssuer(
  directory: string,
  audience: string,
  { pollSeconds = 1 } = {},
): Promise<{ identity: IssuerIdentity; stop: () => Promise<void> }> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const known = await readIssuer(directory);
  const privateJwk = known?.privateJwk ?? (await makeKey());
  const listen = (port: number) => listenFrom(createServer(), port, '127.0.0.1');
  const server = await listen(known === null ? 0 : Number(new URL(known.url).port)).catch(() => listen(0));
  const identity = { url: `http://127.0.0.1:${portOf(server)}`, privateJwk };
  await writeFile(path.join(directory, FILE), JSON.stringify(identity), { mode: 0o600 });
  server.on('request', issuerListener(identity, audience, pollSeconds));
  return {
    identity,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function makeKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'ES256', use: 'sig' };
}
