import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, vi } from 'vitest';
import { importSample } from '../../support/import-sample.ts';
import { serviceTest } from '../../support/service-test.ts';
import { LOOPBACK_WEBHOOKS } from '../../support/webhook-module.ts';

const test = serviceTest({ settings: LOOPBACK_WEBHOOKS });
vi.stubEnv('PORT', '0');
afterAll(() => vi.unstubAllEnvs());

test('the example reports a quarantine once, and refuses a call that is not signed', async ({
  app,
  vendor,
}) => {
  const asOperator = app.as('operator');
  const made = await asOperator.post('/operations/webhooks', { url: 'http://127.0.0.1:9/' });
  vi.stubEnv('WEBHOOK_SECRET', String(made.body.secret));
  const { messages, server } = await import('./operator-webhook.ts');
  if (!server.listening) await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const path = `/operations/webhooks/${String(made.body.id)}`;
  await asOperator.patch(path, { url });
  const moduleId = await importSample(app, vendor);
  await asOperator.post(`/operations/modules/${moduleId}/quarantine`, { reason: 'Malware' });
  const message = `module ${moduleId} of ${vendor.id} is in quarantine`;
  await expect.poll(() => messages).toEqual([message]);
  const calls = async () =>
    (await asOperator.get(`${path}/attempts`)).body.items as { id: string; type: string }[];
  const find = async () => (await calls()).find(({ type }) => type === 'module.quarantined');
  await expect.poll(find).toBeDefined();
  const before = (await calls()).length;
  await asOperator.post(`${path}/attempts/${(await find())?.id}/resend`);
  await expect.poll(async () => (await calls()).length).toBeGreaterThan(before);
  expect(messages).toEqual([message]);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  server.close();
});

test('docs/extending.md shows the receiver that was run, of at most 60 lines', () => {
  const source = readFileSync('test/outer/extending/operator-webhook.ts', 'utf8');
  expect(readFileSync('docs/extending.md', 'utf8')).toContain(`\`\`\`ts\n${source}\`\`\``);
  expect(source.split('\n').length).toBeLessThanOrEqual(60);
});
