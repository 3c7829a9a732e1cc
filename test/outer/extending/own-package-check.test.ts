import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, vi } from 'vitest';
import { samplePackage } from '../../support/sample-package.ts';
import { serviceTest } from '../../support/service-test.ts';

const FORBIDDEN = 'a forbidden text';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
vi.stubEnv('PACKAGE_CHECK_SECRET', SECRET);
vi.stubEnv('FORBIDDEN_SHA256', createHash('sha256').update(FORBIDDEN).digest('hex'));
vi.stubEnv('PORT', '0');
const { server } = await import('./package-check.ts');
if (!server.listening) await once(server, 'listening');
const { port } = server.address() as AddressInfo;
afterAll(() => {
  server.close();
  vi.unstubAllEnvs();
});

const test = serviceTest({
  settings: { PACKAGE_CHECK: `required,http://127.0.0.1:${port}/,${SECRET}` },
});

test('the example refuses a file by its hash, and accepts other packages', async ({ app, vendor }) => {
  const path = 'PackageArtifact/build/forbidden.txt';
  const upload = (text: string) =>
    app.importPackage(vendor, samplePackage(app.api.catalogue, { files: { [path]: text } }));
  const refused = await upload(FORBIDDEN);
  expect([refused.status, refused.body.errors]).toMatchObject([
    400,
    [{ code: 'operator-file-forbidden', entry: path }],
  ]);
  expect((await upload('another text')).status).toBe(200);
});

test('the example refuses a call that is not signed', async () => {
  expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })).status).toBe(401);
});

test('docs/extending.md shows the example that was run, of at most 60 lines', () => {
  const source = readFileSync('test/outer/extending/package-check.ts', 'utf8');
  expect(readFileSync('docs/extending.md', 'utf8')).toContain(`\`\`\`ts\n${source}\`\`\``);
  expect(source.split('\n').length).toBeLessThanOrEqual(60);
});
