import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliVendor } from '../../support/cli-vendor.ts';
import type { CliRun } from '../../support/run-modulectl.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { LOOPBACK_WEBHOOKS, makeChanges } from '../../support/webhook-module.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ settings: LOOPBACK_WEBHOOKS });
});

afterAll(() => app.stop());

const webhookOf = ({ stderr }: CliRun) => /webhook (?<id>[0-9a-f-]{36})/.exec(stderr)?.groups?.['id'] ?? '';

test('webhooks are created, tested, paused, sent again, rotated and deleted; only secrets go to standard output', async () => {
  const vendor = await CliVendor.join(app);
  const moduleId = await vendor.importedModule();
  const receiver = await startReceiver();
  const created = await vendor.run('webhooks', 'create', moduleId, receiver.url);
  expect(created.stdout).toMatch(/^whsec_[\w+/]{43}=\n$/);
  const id = webhookOf(created);
  const run = (name: string, ...args: string[]) => vendor.run('webhooks', name, moduleId, id, ...args);
  expect((await vendor.run('webhooks', 'list', moduleId)).stdout).toMatch(new RegExp(`${id} .*enabled`));
  expect(await run('test')).toMatchObject({ exitCode: 0, stdout: '' });
  await expect.poll(() => receiver.calls.length).toBe(1);
  await expect.poll(async () => (await run('attempts')).stdout).toMatch(/webhook\.test .*204/);
  expect((await run('pause')).stderr).toContain('is paused');
  expect(await run('test')).toMatchObject({ exitCode: 2 });
  expect((await run('enable')).stderr).toContain('is enabled');
  await makeChanges(app, moduleId, 1);
  await expect.poll(() => receiver.calls.length).toBe(2);
  const callOf = async (eventId: string) => {
    const calls = JSON.parse((await run('attempts', '--json')).stdout) as { id: string; eventId: string }[];
    return calls.find((call) => call.eventId === eventId)?.id ?? '';
  };
  const eventId = receiver.calls[1]?.id ?? '';
  await expect.poll(() => callOf(eventId)).not.toBe('');
  expect((await run('resend', await callOf(eventId))).stderr).toContain('delivered again');
  await expect.poll(() => receiver.calls.length).toBe(3);
  expect(receiver.calls[2]?.id).toBe(receiver.calls[1]?.id);
  expect((await run('resend', randomUUID())).exitCode).toBe(2);
  // As a shell makes it of a variable that is not set.
  expect(await run('rotate', '--overlap', '')).toMatchObject({ exitCode: 2, stdout: '' });
  const rotated = await run('rotate', '--overlap', '60');
  expect(rotated.stdout).toMatch(/^whsec_/);
  expect(rotated.stdout).not.toBe(created.stdout);
  expect((await run('delete')).exitCode).toBe(0);
  expect((await vendor.run('webhooks', 'list', moduleId)).stdout).not.toContain(id);
});
