import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { openBreakingProxy } from '../../support/breaking-proxy.ts';
import { CliVendor } from '../../support/cli-vendor.ts';
import { buildModulectl, runHere, startModulectl } from '../../support/run-modulectl.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../fixtures/example-module');

/** Of a token of a stored sign-in. */
const LIFETIME_SECONDS = 300;

let app: TestApp;
let vendor: CliVendor;

beforeAll(async () => {
  buildModulectl();
  app = await startTestApp();
});

afterAll(() => app.stop());

beforeEach(async () => {
  vendor = await CliVendor.join(app);
});

/** Starts a server that has read a request before it answers, until the test ends. @returns its address */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => answer(request, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('import', () => {
  test('of a good package reports the outcome, and then that it is unchanged', async () => {
    const moduleId = randomUUID();
    const file = await vendor.writePackage({ descriptor: { moduleId } });
    const first = await vendor.run('import', file);
    expect(first).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^uploading …\n/) as unknown });
    expect(first.stdout).toMatch(
      new RegExp(`^✓ created module ${moduleId}\n {2}revision {2}1\n {2}import {4}[0-9a-f-]{36}\n$`),
    );
    expect((await vendor.run('import', file)).stdout).toContain(
      `✓ unchanged module ${moduleId}\n  revision  1\n`,
    );
  });

  test('of a rejected package exits 1 with every problem, its line and a caret', async () => {
    const file = await vendor.writePackage({ descriptor: { schema: '9', dataAreaIds: [randomUUID()] } });
    const { exitCode, stdout } = await vendor.run('import', file);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('error descriptor-schema-unsupported');
    expect(stdout).toMatch(
      /error descriptor-data-area-unknown {2}\S+!\/moduleSchema\.json:\d+:\d+\n(?:.+\n)+? +\d+ │ /,
    );
    expect(stdout).toMatch(/is rejected: 2 errors, 1 warning\.\n$/);
  });

  test('of a folder that is rejected before the upload prints with --json what check prints', async () => {
    const folder = path.join(vendor.scratch, 'module');
    await cp(EXAMPLE, folder, { recursive: true });
    await rm(path.join(folder, 'ModuleLogo/logo.svg'));
    const { exitCode, stdout } = await vendor.run('import', folder, '--json');
    expect([exitCode, stdout]).toEqual([1, (await vendor.run('check', folder, '--json')).stdout]);
    expect(JSON.parse(stdout)).toMatchObject({ errors: [{ code: 'descriptor-file-missing' }] });
  });

  test('reports a problem that only the server’s database can find', async () => {
    const scope = `scope-${randomUUID()}`;
    await vendor.run('import', await vendor.writePackage({ descriptor: { scope } }));
    const { exitCode, stdout } = await vendor.run(
      'import',
      await vendor.writePackage({ descriptor: { scope } }),
    );
    expect(exitCode).toBe(1);
    expect(stdout).toContain('error registry-scope-taken');
  });

  test('renames a module only with --rename-scope', async () => {
    const [moduleId, scope, next] = [randomUUID(), `scope-${randomUUID()}`, `scope-${randomUUID()}`];
    await vendor.run('import', await vendor.writePackage({ descriptor: { moduleId, scope } }));
    const file = await vendor.writePackage({ descriptor: { moduleId, scope: next } });
    const refused = await vendor.run('import', file);
    expect([refused.exitCode, refused.stdout]).toEqual([1, expect.stringContaining('--rename-scope')]);
    expect((await vendor.run('import', file, '--rename-scope')).exitCode).toBe(0);
  });

  test('with --validate-only stores nothing and says so', async () => {
    const { exitCode, stdout } = await vendor.run('import', await vendor.writePackage(), '--validate-only');
    expect([exitCode, stdout]).toEqual([
      0,
      '✓ The package is valid (outcome: created). Nothing was stored.\n',
    ]);
    expect(await app.api.database('modules').where({ organizationId: vendor.organization.id })).toEqual([]);
  });

  test('with --no-wait prints the ID of an import that continues', async () => {
    const { exitCode, stdout } = await vendor.run('import', await vendor.writePackage(), '--no-wait');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}\n$/)]);
    const show = async () => (await vendor.run('imports', 'show', stdout.trim())).stdout;
    await expect.poll(show).toMatch(/^ {2}status {4}succeeded$/m);
  });

  test('whose answers are lost is retried and imported once', async () => {
    const proxy = await openBreakingProxy(app.url);
    proxy.breakNext(2);
    const file = await vendor.writePackage();
    const ran = await vendor.runWith({ MODULECTL_SERVER: proxy.url }, 'import', file);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr.match(/Trying again in/g)).toHaveLength(2);
    expect(await app.api.database('imports').where({ organizationId: vendor.organization.id })).toHaveLength(
      1,
    );
  });

  test.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('of a folder removes its packed copy when it is ended by %s', async (signal, exitCode) => {
    let isCalled = false;
    const url = await serve(() => (isCalled = true));
    const temporary = path.join(vendor.scratch, 'temporary');
    await mkdir(temporary);
    const variables = {
      ...vendor.variables,
      MODULECTL_SERVER: url,
      MODULECTL_ID_TOKEN: 'of-a-job',
      TMPDIR: temporary,
    };
    // A trusted publisher calls the server only when the folder is packed.
    const args = ['import', '--trusted', EXAMPLE];
    const running = startModulectl(args, { scratch: vendor.scratch, variables });
    onTestFinished(() => running.stop());
    await expect.poll(() => isCalled).toBe(true);
    expect(await readdir(temporary, { recursive: true })).toEqual([
      expect.stringMatching(/^modulectl-[^/]+$/),
      expect.stringMatching(/^modulectl-.+\/example-module\.zip$/),
    ]);
    expect(await running.end(signal)).toBe(exitCode);
    expect(await readdir(temporary)).toEqual([]);
  });

  test('that the server refuses for now is sent again after the pause that the server wants', async () => {
    const statuses = [429, 403];
    const url = await serve((_request, response) => {
      response.writeHead(statuses.shift() ?? 500, { 'Retry-After': '2' }).end();
    });
    const ran = await vendor.runWith({ MODULECTL_SERVER: url }, 'import', await vendor.writePackage());
    expect([ran.exitCode, ran.stderr]).toEqual([
      2,
      expect.stringContaining(`${url} answered with status 429. Trying again in 2 s.\n`),
    ]);
    expect(ran.stderr).toContain(`modulectl: ${url} answered with status 403.\n`);
  });

  test('is not sent again when the server wants a pause that is longer than an outage may be', async () => {
    let sent = 0;
    const url = await serve((_request, response) => {
      sent += 1;
      response.writeHead(503, { 'Retry-After': '121' }).end();
    });
    const ran = await vendor.runWith({ MODULECTL_SERVER: url }, 'import', await vendor.writePackage());
    expect([ran.exitCode, ran.stderr]).toEqual([
      2,
      expect.stringContaining(`modulectl: ${url} answered with status 503.\n`),
    ]);
    expect(ran.stderr).not.toContain('Trying again');
    expect(sent).toBe(1);
  });

  test('is named when the server wants a pause that is longer than an outage may be', async () => {
    const importId = randomUUID();
    let reads = 0;
    const url = await serve(({ method }, response) => {
      if (method === 'POST') response.writeHead(202, { 'Content-Type': 'application/json' });
      else {
        reads += 1;
        response.writeHead(429, { 'Retry-After': '121' });
      }
      response.end(method === 'POST' ? JSON.stringify({ importId, status: 'queued', progress: {} }) : '');
    });
    const ran = await vendor.runWith({ MODULECTL_SERVER: url }, 'import', await vendor.writePackage());
    expect([ran.exitCode, ran.stderr]).toEqual([
      2,
      expect.stringContaining(`modulectl: ${url} answered with status 429.\n`),
    ]);
    expect(ran.stderr).toContain(`modulectl imports show ${importId}\n`);
    expect(reads).toBe(1);
  });

  test('continues to follow the import when the event stream is interrupted', async () => {
    const idle = await startTestApp({ worker: false });
    onTestFinished(() => idle.stop());
    const waiting = await CliVendor.join(idle);
    const following = waiting.run('import', await waiting.writePackage());
    const queued = async () => (await idle.api.database('imports').select('id')).length;
    await expect.poll(queued).toBe(1);
    idle.api.imports.waiter.stopWaiting();
    await idle.startWorker();
    expect(await following).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('✓ created') as unknown,
    });
  });

  describe('that stays queued', () => {
    let idle: TestApp;
    let waiting: CliVendor;

    beforeEach(async () => {
      // Tokens expire at whole seconds: `shortToken` is then valid for a whole one.
      vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 1_000) * 1_000 });
      idle = await startTestApp({ worker: false });
      waiting = await CliVendor.join(idle);
    });

    afterEach(async () => {
      vi.useRealTimers();
      await idle.stop();
    });

    /** A token with which a stream stays open for a second: the server adds 30 seconds for other clocks. */
    const shortToken = () => tokenFor(1 - 30);

    const tokenFor = (expiresIn: number) => {
      const organizations = [{ id: waiting.organization.id, roles: ['OrganizationAdmin'] }];
      return idle.issuer.token({ organizations, expiresIn });
    };

    /** Waits until the command follows the import by its event stream. @returns the import's ID */
    async function followed(): Promise<string> {
      const ids = () => idle.api.database('imports').pluck<string[]>('id');
      await expect.poll(ids).toHaveLength(1);
      const [importId = ''] = await ids();
      await expect.poll(() => idle.api.imports.waiter.watchesOf(importId)).toHaveLength(1);
      return importId;
    }

    const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);

    /** Stores a sign-in, whose issuer gives a new token for the refresh token. @returns what it has given */
    async function storeSignIn(): Promise<readonly string[]> {
      const tokens: string[] = [];
      const issuer = await serve((_request, response) => {
        void tokenFor(LIFETIME_SECONDS).then((token) => {
          tokens.push(token);
          const issued = { access_token: token, token_type: 'Bearer', expires_in: LIFETIME_SECONDS };
          response.end(JSON.stringify(issued));
        });
      });
      const signIn = {
        clientId: 'modulectl',
        tokenEndpoint: `${issuer}/token`,
        accessToken: await tokenFor(LIFETIME_SECONDS),
        refreshToken: 'refresh',
        expiresAtMs: Date.now() + LIFETIME_SECONDS * 1_000,
      };
      const file = path.join(waiting.scratch, 'config/modulectl/sign-ins.json');
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, JSON.stringify({ [idle.url]: signIn }), { mode: 0o600 });
      return tokens;
    }

    test('is followed with a new token before that of the stored sign-in expires', async () => {
      const issued = await storeSignIn();
      const file = await waiting.writePackage();
      const following = waiting.runWith({ MODULECTL_TOKEN: undefined }, 'import', file);
      await followed();
      // The server accepts the old token until a call that is under way has its answer.
      passSeconds(LIFETIME_SECONDS - 30);
      idle.api.imports.waiter.stopWaiting();
      await expect.poll(() => issued).not.toEqual([]);
      await idle.startWorker();
      const { exitCode, stdout, stderr } = await following;
      expect(exitCode, stderr).toBe(0);
      expect(stdout).toContain('✓ created');
    });

    test('is named when the given token expires', async () => {
      const file = await waiting.writePackage();
      const following = waiting.runWith({ MODULECTL_TOKEN: await shortToken() }, 'import', file);
      const importId = await followed();
      passSeconds(2 * LIFETIME_SECONDS);
      const { exitCode, stderr } = await following;
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^modulectl: The access token .*expired/m);
      expect(stderr).toContain(
        `The import continues on the server. To see its result: modulectl imports show ${importId}\n`,
      );
    });

    test('survives an outage of less than two minutes, however long nothing has changed', async () => {
      const proxy = await openBreakingProxy(idle.url);
      const file = await waiting.writePackage();
      const following = waiting.runWith({ MODULECTL_SERVER: proxy.url }, 'import', file);
      await followed();
      passSeconds(180);
      proxy.breakNext(2);
      proxy.breakOpen();
      await idle.startWorker();
      const { exitCode, stdout, stderr } = await following;
      expect(exitCode, stderr).toBe(0);
      expect(stdout).toContain('✓ created');
    });

    test('is named when an outage takes longer', async () => {
      const proxy = await openBreakingProxy(idle.url);
      const file = await waiting.writePackage();
      const following = waiting.runWith({ MODULECTL_SERVER: proxy.url }, 'import', file);
      const importId = await followed();
      proxy.breakNext(Infinity);
      proxy.breakOpen();
      const passing = setInterval(() => passSeconds(60), 500);
      const { exitCode, stderr } = await following.finally(() => clearInterval(passing));
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining('modulectl: The server does not answer: '),
      ]);
      expect(stderr).toContain(`modulectl imports show ${importId}\n`);
    });
  });

  test('that the server refuses exits with 2 and prints the server’s message', async () => {
    const member = { MODULECTL_TOKEN: vendor.organization.member.replace('Bearer ', '') };
    const ran = await vendor.runWith(member, 'import', await vendor.writePackage());
    const { exitCode, stdout, stderr } = ran;
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('modulectl: The token does not allow this. ');
  });

  test('refuses a token that no header can have, and does not show it', async () => {
    const token = { MODULECTL_TOKEN: 'secret-start\nsecret-end' };
    const ran = await vendor.runWith(token, 'import', await vendor.writePackage());
    expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain('modulectl: The token contains a character that is not allowed');
    expect(ran.stderr).not.toContain('secret');
    expect(ran.stderr).not.toContain('Trying again');
  });

  test('from a server that redirects says so, and is not retried', async () => {
    const requested: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      requested.push(request.url);
      response.writeHead(307, { Location: '/elsewhere' }).end();
    });
    const ran = await vendor.runWith({ MODULECTL_SERVER: url }, 'import', await vendor.writePackage());
    expect([ran.exitCode, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/\nmodulectl: The server redirects\. Use the address that it redirects to\.\n$/),
    ]);
    expect(ran.stderr).not.toContain('Trying again');
    expect(requested).not.toContain('/elsewhere');
  });

  test.each([
    ['server', { MODULECTL_SERVER: undefined }, 'No server is set. Use --server, set MODULECTL_SERVER,'],
    ['token', { MODULECTL_TOKEN: undefined }, 'No token is set. Use --token, set MODULECTL_TOKEN,'],
    ['organization', { MODULECTL_ORG: undefined }, 'No organization is set. Use --org, set MODULECTL_ORG,'],
  ])('without a %s says where to set it', async (_, unset, hint) => {
    const ran = await vendor.runWith(unset, 'import', await vendor.writePackage());
    expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain(hint);
  });

  test('does not send the token over http to another machine', async () => {
    const file = await vendor.writePackage();
    const ran = await vendor.run('import', file, '--server', 'http://modules.example');
    expect([ran.exitCode, ran.stderr]).toEqual([
      2,
      'modulectl: The token is not sent over http, where others can read it. Use https.\n',
    ]);
  });
});

test('on a terminal an upload shows a bar that is removed at the end', async () => {
  const file = await vendor.writePackage();
  const { stdout, stderr } = await runHere(['import', file], {
    scratch: vendor.scratch,
    variables: vendor.variables,
    isTTY: true,
  });
  expect(stderr).toMatch(/\r\u001b\[2Kuploading ━+ 100 % {2}\S+ k?B of \S+ k?B/);
  expect(stderr.slice(stderr.lastIndexOf('━'))).toContain('\r\u001b[2K');
  expect(stdout).toContain('created');
});
