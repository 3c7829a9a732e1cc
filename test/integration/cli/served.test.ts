import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { beforeAll, afterAll, expect, inject, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { buildModulectl } from '../../support/run-modulectl.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';

const execute = promisify(execFile);
const scratch = path.join(inject('scratch'), `served-${randomUUID()}`);
let app: TestApp;

beforeAll(async () => {
  await mkdir(scratch, { recursive: true });
  buildModulectl();
  app = await startTestApp({ worker: false });
});

afterAll(() => app.stop());

test('the server ships modulectl of its own version, which needs nothing but Node', async () => {
  const { status, headers, text } = await app.fetch('/cli/modulectl.mjs');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  const file = path.join(scratch, 'modulectl.mjs');
  await writeFile(file, text);
  const { stdout } = await execute(process.execPath, [file, '--version'], { cwd: scratch });
  expect(stdout).toBe(`${packageJson.version}\n`);
});

test('/cli shows browsers how to install modulectl, and others its address and hash', async () => {
  const { text } = await app.fetch('/cli/modulectl.mjs');
  const sha256 = createHash('sha256').update(text).digest('hex');
  const { body } = await app.fetch('/cli');
  expect(body).toEqual({ address: '/cli/modulectl.mjs', sizeBytes: Buffer.byteLength(text), sha256 });
  const page = await app.fetch('/cli', { headers: { Accept: 'text/html' } });
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.text).toContain(`curl --fail --remote-name ${app.url}/cli/modulectl.mjs`);
  expect(page.text).toContain(sha256);
});

test('who has this version of modulectl does not download it again', async () => {
  const { headers } = await app.fetch('/cli/modulectl.mjs');
  expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
  const known = { headers: { 'If-None-Match': headers.get('etag') ?? '' } };
  const again = await app.fetch('/cli/modulectl.mjs', known);
  expect([again.status, again.text]).toEqual([304, '']);
});

test.each([
  ['/docs', {}],
  ['/portal', { PORTAL_CLIENT_ID: 'module-portal' }],
])('/ leads to %s with the settings %j', async (target, settings) => {
  const started = await startTestApp({ worker: false, settings });
  const { status, headers } = await fetch(started.url, { redirect: 'manual' });
  await started.stop();
  expect([status, headers.get('location')]).toEqual([302, target]);
});
