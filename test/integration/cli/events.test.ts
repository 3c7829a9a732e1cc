import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { CliVendor } from '../../support/cli-vendor.ts';
import { undocumentedCall } from '../../support/documented-event.ts';
import { install, makeModule } from '../../support/machine-access.ts';
import { startModulectl } from '../../support/run-modulectl.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { makeChanges } from '../../support/webhook-module.ts';
import { startReceiver, type ReceivedCall } from '../../support/webhook-receiver.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.stop());

const OLDEST = ['--cursor', 'oldest', '--once'];

/** A vendor with a module and its key, which the environment names. */
async function makeVendor() {
  const vendor = await CliVendor.join(app);
  const { moduleId, key: apiKey } = await makeModule(app, vendor.organization);
  const variables = { MODULECTL_KEY: apiKey, MODULECTL_MODULE: moduleId };
  const run = async (...args: string[]) => {
    const ran = await vendor.runWith(variables, 'events', ...args);
    expect(ran.stdout + ran.stderr).not.toContain(apiKey);
    return ran;
  };
  return { vendor, moduleId, variables, run };
}

const typeOf = ({ body }: ReceivedCall) => (JSON.parse(body) as { type: string }).type;
const secretIn = (text: string) => /whsec_[\w+/]{43}=/.exec(text)?.[0] ?? '';

test('events are shown as lines, or as JSON, oldest first', async () => {
  const { vendor, moduleId, run } = await makeVendor();
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.organization.tenantId });
  await install(app, farmer, moduleId);
  const lines = await run(...OLDEST);
  expect(lines).toMatchObject({ exitCode: 0, stderr: '' });
  expect(lines.stdout).toMatch(
    new RegExp(
      `^\\S+ \\S+  revision\\.released  -  audience={.+}  revision=1\n.*  import\\.ended  -  .*  outcome=created.*\n.*  installation\\.created  ${farmer.id}  acceptedDataAreaIds=`,
    ),
  );
  const json = await run(...OLDEST, '--json', '--types', 'installation.created');
  const changes = json.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(changes).toMatchObject([{ type: 'installation.created', organizationId: farmer.id }]);
});

test('events are delivered as the server delivers them, signed with a secret that stays, and the next run goes on after them', async () => {
  const { vendor, moduleId, run } = await makeVendor();
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.organization.tenantId });
  const receiver = await startReceiver();
  const first = await run(...OLDEST, '--forward', receiver.url);
  expect(first.stderr).toMatch(/→ 204 \(\d+ ms\)/);
  expect(receiver.calls.map(typeOf)).toEqual(['revision.released', 'import.ended']);
  await install(app, farmer, moduleId);
  const second = await run('--once', '--forward', receiver.url);
  expect(secretIn(second.stderr)).toBe(secretIn(first.stderr));
  expect(receiver.calls.map(typeOf)).toEqual([
    ...['revision.released', 'import.ended'],
    'installation.created',
  ]);
  for (const { body, headers } of receiver.calls) {
    expect(new Webhook(secretIn(first.stderr)).verify(body, headers as Record<string, string>)).toBeTruthy();
    expect(undocumentedCall(body, headers)).toEqual([]);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'module-import-service',
    });
  }
});

test('an event that fails is delivered again until it is accepted, with the same ID, before those after it', async () => {
  const { moduleId, run } = await makeVendor();
  await makeChanges(app, moduleId, 1, { type: 'revision.staged' });
  const receiver = await startReceiver((_call, response) => {
    response.writeHead(receiver.calls.length === 1 ? 500 : 204).end();
  });
  const { exitCode, stderr } = await run(...OLDEST, '--forward', receiver.url);
  expect([exitCode, stderr.match(/→ \d+/g)]).toEqual([0, ['→ 500', '→ 204', '→ 204', '→ 204']]);
  expect(stderr).toContain('again in 1 s');
  expect(receiver.calls.map(typeOf)).toEqual([
    ...['revision.released', 'revision.released', 'import.ended'],
    'revision.staged',
  ]);
  expect(receiver.calls[0]?.id).toBe(receiver.calls[1]?.id);
});

test('410 ends the delivery, and the event is delivered by the next run', async () => {
  const { run } = await makeVendor();
  let status = 410;
  const receiver = await startReceiver((_call, response) => response.writeHead(status).end());
  const ended = await run(...OLDEST, '--forward', receiver.url);
  expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining('410 Gone')]);
  status = 204;
  // Nothing was delivered, so nothing is known of where it ended.
  expect((await run(...OLDEST, '--forward', receiver.url)).exitCode).toBe(0);
  expect(receiver.calls[1]?.id).toBe(receiver.calls[0]?.id);
});

test('what happens while it runs is delivered, until it is stopped', async () => {
  const { vendor, moduleId, variables } = await makeVendor();
  const receiver = await startReceiver();
  const running = startModulectl(['events', '--forward', receiver.url], {
    scratch: vendor.scratch,
    variables: { ...vendor.variables, ...variables },
  });
  onTestFinished(() => running.stop());
  await expect.poll(() => running.stderr()).toContain('Following the events');
  await expect.poll(() => cursorFiles(vendor)).toHaveLength(1);
  await makeChanges(app, moduleId, 2, { type: 'revision.staged' });
  await expect.poll(() => receiver.calls.length).toBe(2);
  expect(receiver.calls.map(typeOf)).toEqual(['revision.staged', 'revision.staged']);
  await expect.poll(() => running.stdout().split('\n').filter(Boolean)).toHaveLength(2);
});

/** The files that keep where deliveries ended. */
async function cursorFiles({ scratch }: CliVendor): Promise<readonly string[]> {
  const folder = path.join(scratch, 'config/modulectl/events');
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.startsWith('cursor-') && !name.endsWith('.tmp'));
}

test('the secret and the cursors are for this user alone, and their names show no address', async () => {
  const { vendor, run } = await makeVendor();
  const receiver = await startReceiver();
  await run(...OLDEST, '--forward', receiver.url);
  const [name = ''] = await cursorFiles(vendor);
  expect(name).toMatch(/^cursor-[0-9a-f]{32}$/);
  const folder = path.join(vendor.scratch, 'config/modulectl/events');
  const { mode } = await stat(path.join(folder, 'secret'));
  expect(mode & 0o777).toBe(0o600);
  expect(await readFile(path.join(folder, name), 'utf8')).toMatch(/^\d[\w-]*\n$/);
});

test('a sample is output, or sent to a receiver with a secret of its caller', async () => {
  const { run } = await makeVendor();
  const shown = await run('trigger', 'rule.created');
  expect(undocumentedCall(shown.stdout)).toEqual([]);
  const receiver = await startReceiver();
  const secret = `whsec_${createHash('sha256').update('a test').digest('base64')}`;
  const sent = await run('trigger', 'alert.acknowledged', '--forward', receiver.url, '--secret', secret);
  expect([sent.exitCode, sent.stdout]).toEqual([0, '']);
  const [{ body, headers } = { body: '', headers: {} }] = receiver.calls;
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
    type: 'alert.acknowledged',
  });
  const refusing = await startReceiver((_call, response) => response.writeHead(500).end());
  expect((await run('trigger', 'rule.created', '--forward', refusing.url)).exitCode).toBe(2);
});

test.each([
  [['trigger', 'rule.painted'], 'The events are installation.created'],
  [['trigger', 'rule.created', '--forward', 'http://127.0.0.1:1', '--secret', 'x'], 'whsec_'],
  [['--cursor', 'yesterday'], '--cursor must be'],
  [['--forward', 'localhost'], '--forward must be'],
  [['--cursor', '999999999', '--once'], 'Start anew with --cursor latest'],
  [['--types', 'rule.painted', '--once'], 'types must be a list of'],
])('%j cannot run, and says why', async (args, message) => {
  const { run } = await makeVendor();
  const { exitCode, stdout, stderr } = await run(...args);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});

test('a server that refuses for now is polled again after the pause that it wants', async () => {
  const { vendor, variables } = await makeVendor();
  const statuses = [200, 429, 403];
  const server = await startReceiver((_call, response) => {
    response.writeHead(statuses.shift() ?? 500, { 'Content-Type': 'application/json', 'Retry-After': '2' });
    response.end(JSON.stringify({ items: [], nextCursor: '1', hasMore: true }));
  });
  const { origin } = new URL(server.url);
  const ran = await vendor.runWith({ ...variables, MODULECTL_SERVER: origin }, 'events', ...OLDEST);
  expect(ran).toMatchObject({
    exitCode: 2,
    stderr: `warning: ${origin} answered with status 429. Trying again in 2 s.\nmodulectl: ${origin} answered with status 403.\n`,
  });
});

test('a key that no header can have is refused, and not shown', async () => {
  const { vendor, variables } = await makeVendor();
  const key = { MODULECTL_KEY: 'secret-start\nsecret-end' };
  const { exitCode, stderr } = await vendor.runWith({ ...variables, ...key }, 'events', '--once');
  expect([exitCode, stderr]).toEqual([
    2,
    'modulectl: The API key contains a character that is not allowed, such as a line break or a space. Set it again.\n',
  ]);
});

test('without a key, a module or the right key it cannot run', async () => {
  const { vendor, variables } = await makeVendor();
  const events = (changed: Record<string, string>) =>
    vendor.runWith({ ...variables, ...changed }, 'events', '--once');
  expect((await events({ MODULECTL_KEY: '' })).stderr).toContain('Set MODULECTL_KEY');
  expect((await events({ MODULECTL_MODULE: '' })).stderr).toContain('Use --module');
  expect((await events({ MODULECTL_KEY: 'mmk_nothing' })).exitCode).toBe(2);
});
