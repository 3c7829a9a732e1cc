import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { DEMONSTRATION } from '../../../shared/local/demonstration.ts';
import { startDemonstrationApp } from '../../support/demonstration-app.ts';
import { loginAs } from '../../support/login.ts';
import { runHere } from '../../support/run-modulectl.ts';
import type { TestApp } from '../../support/test-app.ts';

const VENDOR = DEMONSTRATION.vendor.id;
let app: TestApp;
let scratch: string;
let file: string;

beforeAll(async () => {
  app = await startDemonstrationApp();
});

afterAll(() => app.stop());

beforeEach(async () => {
  // A name that a shell would read otherwise.
  scratch = path.join(inject('scratch'), `o'brien $HOME-${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  file = path.join(scratch, 'config/modulectl/sign-ins.json');
});

const run = (...args: string[]) => runHere(args, { scratch });

/** The command at the end of a message. */
function commandIn(text: string): string {
  const [, command = ''] = /[Rr]un: (.+)\n$/.exec(text) ?? [];
  expect(command, text).not.toBe('');
  return command;
}

/** Runs a `modulectl login …` that a message names, and approves it. */
async function signIn(command: string): Promise<void> {
  const [program, name, ...args] = command.split(' ');
  expect([program, name]).toEqual(['modulectl', 'login']);
  expect(await loginAs('vendor-admin', args, { scratch })).toMatchObject({ exitCode: 0 });
}

/** Starts as many sign-ins as the issuer remembers: it forgets the codes of earlier ones. */
async function forgetEarlierCodes(): Promise<void> {
  const body = new URLSearchParams({ client_id: 'modulectl', scope: 'openid' });
  for (let started = 0; started < 100; started += 1) {
    const answer = await fetch(`${app.environment['AUTH_ISSUER']}/device_authorization`, {
      method: 'POST',
      body,
    });
    expect(answer.status).toBe(200);
  }
}

/** Follows the command's advice, which a shell must read as one name. */
async function closeFile(command: string): Promise<void> {
  const [, quoted = ''] = /^chmod 600 '(.*)'$/.exec(command) ?? [];
  const [name, ...others] = quoted.split(`'\\''`);
  expect(others.concat(name ?? '').join('')).not.toContain("'");
  await chmod([name, ...others].join("'"), 0o600);
}

test('who has no token runs the command that the message names, and the command succeeds', async () => {
  const command = ['modules', 'list', '--server', app.url, '--org', VENDOR];
  const refused = await run(...command);
  expect(refused.exitCode).toBe(2);
  await signIn(commandIn(refused.stderr));
  expect(await run(...command)).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a check with the catalogue of a server names the command too', async () => {
  const folder = path.join(scratch, 'soil');
  await run('init', folder);
  const command = ['check', folder, '--server', app.url];
  const refused = await run(...command);
  expect(refused.exitCode).toBe(2);
  await signIn(commandIn(refused.stderr));
  expect(await run(...command)).toMatchObject({ exitCode: 0 });
});

test('a sign-in that has expired is renewed by the command that the message names', async () => {
  await loginAs('vendor-admin', ['--server', app.url, '--org', VENDOR], { scratch });
  const stored = JSON.parse(await readFile(file, 'utf8')) as Record<string, object>;
  const expired = { ...stored[app.url], expiresAtMs: Date.now() - 1_000, refreshToken: null };
  await writeFile(file, JSON.stringify({ [app.url]: expired }));
  const refused = await run('modules', 'list');
  expect(refused.exitCode).toBe(2);
  await signIn(commandIn(refused.stderr));
  expect(await run('modules', 'list')).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a sign-in whose code has expired succeeds when the same command is run again', async () => {
  const command = ['--server', app.url, '--org', VENDOR];
  const forgotten: Promise<void>[] = [];
  const onMessage = (text: string) => {
    if (text.includes('user_code=')) forgotten.push(forgetEarlierCodes());
  };
  const expired = await runHere(['login', ...command], { scratch, onMessage });
  await Promise.all(forgotten);
  expect(expired).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Run the same command again.') as string,
  });
  expect(await loginAs('vendor-admin', command, { scratch })).toMatchObject({ exitCode: 0 });
});

test('a file of tokens that others can read is closed by the command that the message names', async () => {
  await loginAs('vendor-admin', ['--server', app.url, '--org', VENDOR], { scratch });
  await chmod(file, 0o644);
  const refused = await run('modules', 'list');
  expect(refused.exitCode).toBe(2);
  await closeFile(commandIn(refused.stderr));
  expect(await run('modules', 'list')).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a config file with a token that others can read is closed by the command that the message names', async () => {
  const config = path.join(scratch, 'config/modulectl/config.json');
  await mkdir(path.dirname(config), { recursive: true });
  await writeFile(config, JSON.stringify({ server: app.url, token: 'x', organization: VENDOR }));
  await chmod(config, 0o644);
  const [warning = ''] = (await run('modules', 'list')).stderr.split(/(?<=\n)/);
  await closeFile(commandIn(warning));
  expect((await run('modules', 'list')).stderr).not.toContain('Ignoring the token');
});
