import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { runHere } from '../../support/run-modulectl.ts';
import type { CliRun } from '../../support/run-modulectl.ts';
import { samplePackage } from '../../support/sample-package.ts';
import { startTestApp } from '../../support/test-app.ts';
import type { TestApp, TestOrganization } from '../../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;
let scratch: string;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.stop());

beforeEach(async () => {
  vendor = await app.organization();
  scratch = path.join(inject('scratch'), `online-${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
});

const tokenOf = ({ admin }: TestOrganization) => admin.replace('Bearer ', '');

function variables(server = app.url) {
  return { MODULECTL_SERVER: server, MODULECTL_TOKEN: tokenOf(vendor), MODULECTL_ORG: vendor.id };
}

/** Runs a command as the vendor; whatever it writes, the token is not in it. */
async function run(...args: string[]): Promise<CliRun> {
  const ran = await runHere(args, { scratch, variables: variables() });
  expect(ran.stdout + ran.stderr).not.toContain(tokenOf(vendor));
  return ran;
}

async function writePackage(options: Parameters<typeof samplePackage>[1] = {}): Promise<string> {
  const file = path.join(scratch, `${randomUUID()}.zip`);
  await writeFile(file, samplePackage(app.api.catalogue, options));
  return file;
}

async function importedModule(): Promise<string> {
  const { stdout } = await run('import', await writePackage(), '--json');
  return (JSON.parse(stdout) as { moduleId: string }).moduleId;
}

/** A way to the server that breaks connections when it is told to. */
async function breakingProxy(): Promise<{ url: string; break(): void; breakNext(count: number): void }> {
  const { port } = new URL(app.url);
  const sockets = new Set<Socket>();
  let toBreak = 0;
  const server = net.createServer((client) => {
    const onward = net.connect(Number(port), '127.0.0.1');
    for (const each of [client, onward]) {
      sockets.add(each);
      each.on('error', () => undefined);
    }
    client.on('close', () => onward.destroy());
    onward.on('close', () => client.destroy());
    if (toBreak > 0) {
      toBreak -= 1;
      // What was sent has arrived, but no answer comes back.
      client.pipe(onward);
      onward.once('data', () => client.destroy());
      return;
    }
    client.pipe(onward).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const each of sockets) each.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    break: () => {
      for (const each of sockets) each.destroy();
    },
    breakNext: (count) => {
      toBreak = count;
    },
  };
}

describe('import', () => {
  test('of a good package tells what it became, and again that it is unchanged', async () => {
    const moduleId = randomUUID();
    const file = await writePackage({ descriptor: { moduleId } });
    const first = await run('import', file);
    expect(first).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^uploading …\n/) as unknown });
    expect(first.stdout).toMatch(
      new RegExp(`^✓ created module ${moduleId}\n {2}revision {2}1\n {2}import {4}[0-9a-f-]{36}\n$`),
    );
    expect((await run('import', file)).stdout).toContain(`✓ unchanged module ${moduleId}\n  revision  1\n`);
  });

  test('of a rejected package exits 1 with every problem, its line and a caret', async () => {
    const file = await writePackage({ descriptor: { schema: '9', dataAreaIds: [randomUUID()] } });
    const { exitCode, stdout } = await run('import', file);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('error descriptor-schema-unsupported');
    expect(stdout).toMatch(
      /error descriptor-data-area-unknown {2}\S+!\/moduleSchema\.json:\d+:\d+\n.*\n +\d+ │ /,
    );
    expect(stdout).toMatch(/is rejected: 2 errors\.\n$/);
  });

  test('tells a problem that only the server’s database knows', async () => {
    const scope = `scope-${randomUUID()}`;
    await run('import', await writePackage({ descriptor: { scope } }));
    const { exitCode, stdout } = await run('import', await writePackage({ descriptor: { scope } }));
    expect(exitCode).toBe(1);
    expect(stdout).toContain('error registry-scope-taken');
  });

  test('with --validate-only stores nothing and says so', async () => {
    const { exitCode, stdout } = await run('import', await writePackage(), '--validate-only');
    expect([exitCode, stdout]).toEqual([0, '✓ The server would take it: created. Nothing was stored.\n']);
    expect(await app.api.database('modules').where({ organizationId: vendor.id })).toEqual([]);
  });

  test('with --no-wait writes the ID of an import that goes on', async () => {
    const { exitCode, stdout } = await run('import', await writePackage(), '--no-wait');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}\n$/)]);
    const show = async () => (await run('imports', 'show', stdout.trim())).stdout;
    await expect.poll(show).toMatch(/^ {2}status {4}succeeded$/m);
  });

  test('whose answers are lost is tried again and imported once', async () => {
    const proxy = await breakingProxy();
    proxy.breakNext(2);
    const file = await writePackage();
    const ran = await runHere(['import', file], { scratch, variables: variables(proxy.url) });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr.match(/Trying again in/g)).toHaveLength(2);
    expect(await app.api.database('imports').where({ organizationId: vendor.id })).toHaveLength(1);
  });

  test('is followed on where the event stream breaks off', async () => {
    const idle = await startTestApp({ worker: false });
    onTestFinished(() => idle.stop());
    const own = await idle.organization();
    const settings = { MODULECTL_SERVER: idle.url, MODULECTL_TOKEN: tokenOf(own), MODULECTL_ORG: own.id };
    const file = await writePackage();
    const following = runHere(['import', file], { scratch, variables: settings });
    const queued = async () => (await idle.api.database('imports').select('id')).length;
    await expect.poll(queued).toBe(1);
    idle.api.waiter.giveUp();
    await idle.startWorker();
    expect(await following).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('✓ created') as unknown,
    });
  });

  test('that the server refuses ends with 2 and the server’s words', async () => {
    const member = { ...variables(), MODULECTL_TOKEN: vendor.member.replace('Bearer ', '') };
    const { exitCode, stdout, stderr } = await runHere(['import', await writePackage()], {
      scratch,
      variables: member,
    });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('modulectl: The token does not allow this. ');
  });

  test.each([
    [
      'server',
      { MODULECTL_SERVER: undefined },
      'The server is not set. Give --server, set MODULECTL_SERVER,',
    ],
    ['token', { MODULECTL_TOKEN: undefined }, 'The token is not set. Give --token, set MODULECTL_TOKEN,'],
    [
      'organization',
      { MODULECTL_ORG: undefined },
      'Your organization is not set. Give --org, set MODULECTL_ORG,',
    ],
  ])('without a %s says where to set it', async (_, unset, told) => {
    const ran = await runHere(['import', await writePackage()], {
      scratch,
      variables: { ...variables(), ...unset },
    });
    expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain(told);
  });

  test('does not send the token over http to another machine', async () => {
    const file = await writePackage();
    const ran = await runHere(['import', file, '--server', 'http://modules.example'], {
      scratch,
      variables: variables(),
    });
    expect([ran.exitCode, ran.stderr]).toEqual([
      2,
      'modulectl: The token is not sent over http, where others can read it. Use https.\n',
    ]);
  });
});

describe('export', () => {
  test('writes the package of the server, which imports back as unchanged', async () => {
    const moduleId = await importedModule();
    const target = path.join(scratch, 'out.zip');
    const { exitCode, stdout } = await run('export', moduleId, '--output', target);
    const bytes = await readFile(target);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect([exitCode, stdout]).toEqual([
      0,
      `${target}\n  size     ${bytes.length} bytes\n  sha-256  ${sha256}\n`,
    ]);
    expect((await run('import', target)).stdout).toContain('✓ unchanged');
  });

  test('--as-new makes another module', async () => {
    const moduleId = await importedModule();
    const target = path.join(scratch, 'new.zip');
    await run('export', moduleId, '--as-new', '--output', target);
    expect((await run('import', target)).stdout).toMatch(
      new RegExp(`✓ created module (?!${moduleId})[0-9a-f-]{36}`),
    );
  });

  test('of what is not there ends with 2 and writes no file', async () => {
    const target = path.join(scratch, 'none.zip');
    const { exitCode, stderr } = await run('export', randomUUID(), '--output', target);
    expect([exitCode, stderr]).toEqual([
      2,
      'modulectl: Not found. The organization has no such module or revision.\n',
    ]);
    await expect(readFile(target)).rejects.toThrow('ENOENT');
  });
});

describe('keys', () => {
  const clientOf = ({ stderr }: CliRun) => /\((?<id>[0-9a-f-]{36})\)/.exec(stderr)?.groups?.['id'] ?? '';

  test('create writes the key alone to standard output; list never shows it', async () => {
    const moduleId = await importedModule();
    const created = await run('keys', 'create', moduleId, '--name', 'Back end');
    expect(created.stdout).toMatch(/^mmk_\w{49}\n$/);
    expect(created.stderr).toContain('Key of the client Back end (');
    const listed = await run('keys', 'list', moduleId);
    expect(listed.stdout).toContain(clientOf(created));
    expect(listed.stdout).toContain('Back end');
    expect(listed.stdout).not.toContain(created.stdout.trim());
  });

  test('rotate gives the same client another key, and revoke ends it', async () => {
    const moduleId = await importedModule();
    const created = await run('keys', 'create', moduleId);
    const client = clientOf(created);
    const rotated = await run('keys', 'rotate', moduleId, client, '--overlap', '60');
    expect(clientOf(rotated)).toBe(client);
    expect(rotated.stdout).not.toBe(created.stdout);
    expect((await run('keys', 'revoke', moduleId, client)).exitCode).toBe(0);
    const call = await app.fetch(`/api/v8.0/Alerts/RulesByModuleId/${moduleId}`, {
      headers: { 'X-Api-Key': rotated.stdout.trim() },
    });
    expect(call.status).toBe(401);
  });

  test('a number that is none is refused by the server in its words', async () => {
    const moduleId = await importedModule();
    const { exitCode, stderr } = await run('keys', 'rotate', moduleId, randomUUID(), '--overlap', 'soon');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^modulectl: /);
  });
});

test('imports list shows the newest first, and with --status those of one status', async () => {
  const good = JSON.parse((await run('import', await writePackage(), '--json')).stdout) as {
    importId: string;
  };
  const bad = await run('import', await writePackage({ descriptor: { schema: '9' } }), '--json');
  expect(bad.exitCode).toBe(1);
  const { importId } = JSON.parse(bad.stdout) as { importId: string };
  const lines = (await run('imports', 'list')).stdout.split('\n');
  expect(lines.slice(1, 3).map((line) => line.slice(0, 36))).toEqual([importId, good.importId]);
  expect((await run('imports', 'list', '--status', 'rejected')).stdout).not.toContain(good.importId);
  expect((await run('imports', 'show', importId)).stdout).toMatch(
    /error descriptor-schema-unsupported {2}moduleSchema\.json:\d+:\d+\n/,
  );
});

test('catalogue lists what the server has', async () => {
  const { stdout } = await run('catalogue', 'dataAreas', '--json');
  const answer = await app.fetch('/api/v8.0/CommonData/dataAreas', {
    headers: { Authorization: vendor.member },
  });
  expect(JSON.parse(stdout)).toEqual(answer.body.items);
  expect((await run('catalogue')).stdout).toMatch(/^languages +\d+$/m);
});

test('on a terminal an upload shows a bar that is taken away at the end', async () => {
  const file = await writePackage();
  const { stdout, stderr } = await runHere(['import', file], {
    scratch,
    variables: variables(),
    isTTY: true,
  });
  expect(stderr).toMatch(/\r\u001b\[2Kuploading ━+ 100 % {2}\S+ k?B of \S+ k?B/);
  expect(stderr.endsWith('\r\u001b[2K')).toBe(true);
  expect(stdout).toContain('created');
});
