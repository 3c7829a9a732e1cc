import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { DEMONSTRATION } from '../../../shared/local/demonstration.ts';
import { startDemonstrationApp } from '../../support/demonstration-app.ts';
import { loginAs } from '../../support/login.ts';
import { runHere } from '../../support/run-modulectl.ts';
import type { Variables } from '../../../shared/cli/settings.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';

const VENDOR = DEMONSTRATION.vendor.id;
let app: TestApp;
let scratch: string;
let file: string;

beforeAll(async () => {
  app = await startDemonstrationApp();
});

afterAll(() => app.stop());

beforeEach(async () => {
  scratch = path.join(inject('scratch'), `login-${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  file = path.join(scratch, 'config/modulectl/sign-ins.json');
});

const run = (...args: string[]) => runHere(args, { scratch });
const runWith = (variables: Variables, ...args: string[]) => runHere(args, { scratch, variables });

const login = (account = 'vendor-admin', ...flags: string[]) =>
  loginAs(account, ['--server', app.url, ...flags], { scratch });

type Stored = Record<string, Record<string, unknown>>;
const stored = async () => JSON.parse(await readFile(file, 'utf8')) as Stored;

/** Changes the stored sign-in. */
async function change(members: Record<string, unknown>): Promise<void> {
  const signIns = await stored();
  await writeFile(file, JSON.stringify({ [app.url]: { ...signIns[app.url], ...members } }));
}

describe('login', () => {
  test('shows an address and a code, and signs in who approves it in a browser', async () => {
    const { exitCode, stdout, stderr } = await login();
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(
      /^Open this page in a browser: http:\/\/127\.0\.0\.1:\d+\/device\?user_code=([B-Z]{4}-[B-Z]{4})\nIt shows this code, or asks for it: \1\n/,
    );
    expect(stderr).toContain(`Signed in to ${app.url}.\n`);
    const listed = await run('modules', 'list', '--server', app.url, '--org', VENDOR, '--json');
    expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(listed.stdout)).toBeInstanceOf(Array);
  });

  test('keeps the tokens in a file of the user alone, and prints none of them', async () => {
    const { stdout, stderr } = await login();
    const signIn = (await stored())[app.url] ?? {};
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
    for (const name of ['accessToken', 'refreshToken']) {
      expect(signIn[name]).toMatch(/^ey/);
      expect(stdout + stderr).not.toContain(signIn[name]);
    }
    expect(signIn['expiresAtMs']).toBeGreaterThan(Date.now() + 60_000);
  });

  test('with --org makes later commands need no setting', async () => {
    await login('vendor-admin', '--org', VENDOR);
    expect(await run('modules', 'list')).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('to another server, or again, makes later commands use that server', async () => {
    const other = await startDemonstrationApp();
    onTestFinished(() => other.stop());
    const folder = path.join(scratch, 'soil');
    await login('vendor-admin', '--org', VENDOR);
    await loginAs('vendor-admin', ['--server', other.url, '--org', VENDOR], { scratch });
    await run('init', folder);
    expect((await run('check', folder)).stderr).toContain(`IDs: the catalogue of ${other.url}`);
    const { moduleId } = JSON.parse((await run('import', folder, '--json')).stdout) as { moduleId: string };
    expect((await run('modules', 'list')).stdout).toContain(moduleId);
    await login();
    const listed = await run('modules', 'list');
    expect([listed.exitCode, listed.stdout]).toEqual([0, expect.not.stringContaining(moduleId)]);
    expect((await run('logout')).stderr).toBe(`Signed out of ${app.url}.\n`);
    expect((await run('logout')).stderr).toBe(`Signed out of ${other.url}.\n`);
  });

  test('lets import use the catalogue of its server', async () => {
    await login('vendor-admin', '--org', VENDOR);
    const folder = path.join(scratch, 'soil');
    await run('init', folder);
    const imported = await run('import', folder);
    expect([imported.exitCode, imported.stdout]).toEqual([0, expect.stringMatching(/^✓ created/)]);
    expect(await readdir(path.join(scratch, 'cache/modulectl'))).toEqual([
      expect.stringMatching(/^rules-[0-9a-f]{32}\.json$/),
    ]);
  });

  test('signs in as the account that was chosen', async () => {
    await login('farmer-admin', '--org', VENDOR);
    const { exitCode, stderr } = await run('modules', 'list');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('The token does not allow this.')]);
  });

  test('is not offered by a server that names no client', async () => {
    const other = await startTestApp({ worker: false });
    const { exitCode, stderr } = await run('login', '--server', other.url);
    await other.stop();
    expect([exitCode, stderr]).toEqual([
      2,
      `modulectl: modulectl cannot sign in to ${other.url}: it names no client for that. Get a token from your platform, and set MODULECTL_TOKEN.\n`,
    ]);
  });

  test('is refused over http to another machine, before anything is sent', async () => {
    const { exitCode, stderr } = await run('login', '--server', 'http://modules.example');
    expect([exitCode, stderr]).toEqual([
      2,
      'modulectl: The server has an address without https, where others can read and change what is sent.\n',
    ]);
  });
});

describe('the stored token', () => {
  /** The files of one sign-in. A test that ends or renews the sign-in makes its own. */
  let signIns: string | null = null;

  beforeEach(async () => {
    if (signIns === null) {
      await login('vendor-admin', '--org', VENDOR);
      signIns = await readFile(file, 'utf8');
    }
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, signIns, { mode: 0o600 });
  });

  test('is used only for the server that it was made for', async () => {
    const other = await startTestApp({ worker: false });
    const { exitCode, stderr } = await run('modules', 'list', '--server', other.url, '--org', VENDOR);
    await other.stop();
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('No token is set.')]);
    expect(stderr).toContain(`To sign in, run: modulectl login --server ${other.url}\n`);
  });

  test('gives way to a flag, and to the environment', async () => {
    const settings = { MODULECTL_SERVER: app.url };
    const refused = {
      exitCode: 2,
      stderr: expect.stringContaining('The access token is not valid for this service:') as unknown,
    };
    expect(await runWith(settings, 'modules', 'list', '--token', 'wrong')).toMatchObject(refused);
    expect(await runWith({ ...settings, MODULECTL_TOKEN: 'wrong' }, 'modules', 'list')).toMatchObject(
      refused,
    );
    expect(await runWith(settings, 'modules', 'list')).toMatchObject({ exitCode: 0 });
  });

  test('that has expired is refreshed and stored again', async () => {
    await login('vendor-admin', '--org', VENDOR);
    await change({ expiresAtMs: Date.now() - 1_000, accessToken: 'old' });
    expect(await run('modules', 'list')).toMatchObject({ exitCode: 0, stderr: '' });
    const signIn = (await stored())[app.url] ?? {};
    expect(signIn).toMatchObject({
      organization: VENDOR,
      refreshToken: expect.stringMatching(/^ey/) as unknown,
    });
    expect(signIn['expiresAtMs']).toBeGreaterThan(Date.now());
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('that has expired is refreshed once by commands that run at the same time', async () => {
    const { accessToken, refreshToken } = (await stored())[app.url] ?? {};
    const used: string[] = [];
    // Accepts a refresh token once.
    const issuer = createServer((request, response) => {
      void text(request).then((form) => {
        used.push(new URLSearchParams(form).get('refresh_token') ?? '');
        response.writeHead(used.length > 1 ? 400 : 200);
        const issued = { access_token: accessToken, token_type: 'Bearer', expires_in: 3_600 };
        response.end(JSON.stringify(used.length > 1 ? { error: 'invalid_grant' } : issued));
      });
    });
    const port = await new Promise<number>((resolve) => {
      issuer.listen(0, '127.0.0.1', () => resolve((issuer.address() as AddressInfo).port));
    });
    onTestFinished(() => {
      issuer.closeAllConnections();
      issuer.close();
    });
    const expired = { expiresAtMs: Date.now() - 1_000, accessToken: 'old' };
    await change({ ...expired, tokenEndpoint: `http://127.0.0.1:${port}/token` });
    const listed = await Promise.all([1, 2, 3].map(() => run('modules', 'list')));
    expect(listed.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(Array(3).fill([0, '']));
    expect(used).toEqual([refreshToken]);
    expect(await readdir(path.dirname(file))).toEqual([path.basename(file)]);
  });

  test.each([
    ['refreshToken', null],
    ['refreshToken', 'wrong'],
  ])('that has expired and cannot be refreshed says to sign in again: %s %j', async (name, value) => {
    await change({ expiresAtMs: Date.now() - 1_000, [name]: value });
    expect(await run('modules', 'list')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `modulectl: The sign-in to ${app.url} has expired. Run: modulectl login --server ${app.url}\n`,
    });
  });

  test('that cannot be refreshed while its refresh token is good says why', async () => {
    await change({ expiresAtMs: Date.now() - 1_000, tokenEndpoint: 'http://id.example/token' });
    const { exitCode, stderr } = await run('modules', 'list');
    expect([exitCode, stderr]).toEqual([
      2,
      'modulectl: The issuer has an address without https, where others can read and change what is sent.\n',
    ]);
  });

  test('in a file that others can read is not used', async () => {
    await chmod(file, 0o644);
    const { exitCode, stderr } = await run('modules', 'list');
    expect([exitCode, stderr]).toEqual([
      2,
      `modulectl: Other users can read the tokens in ${file}. Run: chmod 600 '${file}'\n`,
    ]);
  });

  test('is removed by logout, with its file', async () => {
    await login('vendor-admin', '--org', VENDOR);
    expect((await run('logout')).stderr).toBe(`Signed out of ${app.url}.\n`);
    await expect(stat(file)).rejects.toThrow('ENOENT');
    expect((await run('logout', '--server', app.url)).stderr).toBe(`You are not signed in to ${app.url}.\n`);
  });
});
