import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { expect, onTestFinished, test, vi } from 'vitest';
import { issuerKeys } from '../../../api/auth/issuer-keys.ts';
import { PartProblem } from '../../../shared/process/part-problem.ts';

/** An issuer with one key, which can become unavailable. */
async function startIssuer() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'known', alg: 'ES256' }];
  const state = { isAvailable: true };
  const server = createServer((request, response) => {
    const document = { issuer: url, jwks_uri: `${url}/jwks` };
    response.writeHead(state.isAvailable ? 200 : 500, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(request.url === '/jwks' ? { keys } : document));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = async (kid: string) =>
    new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
  return { url, state, token };
}

test('an unknown key that cannot be looked for discards no key of an unavailable issuer', async () => {
  const { url, state, token } = await startIssuer();
  const keys = issuerKeys(url);
  await jwtVerify(await token('known'), keys);
  state.isAvailable = false;
  const real = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + 60_000);
  onTestFinished(() => clock.mockRestore());
  await expect(jwtVerify(await token('other'), keys)).rejects.toThrow(PartProblem);
  await expect(jwtVerify(await token('known'), keys)).resolves.toBeDefined();
});
