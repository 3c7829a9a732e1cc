import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runWorker, type RunningWorker } from '../../worker/run-worker.ts';
import { startDnsServer, type DnsServer } from '../support/dns-server.ts';
import { HOSTILE_ADDRESSES } from '../support/hostile-addresses.ts';
import { importSample } from '../support/import-sample.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { makeChanges } from '../support/webhook-module.ts';

const REFUSED = /^the (?:address|name) /;
const NOT_PUBLIC = 'the name has an address that is not on the public internet';
const PUBLIC = '93.184.215.14';
const ADDRESSES = Object.values(HOSTILE_ADDRESSES).flat();

/** The addresses of each name, by the number of the query. */
const NAMES: Readonly<Record<string, (count: number) => readonly string[]>> = {
  'this-machine.example.com': () => ['127.0.0.1'],
  'mapped.example.com': () => ['::ffff:7f00:1'],
  'private.example.com': () => ['10.0.0.7'],
  'metadata.example.com': () => ['169.254.169.254'],
  'mixed.example.com': () => [PUBLIC, '127.0.0.1'],
  'unique-local.example.com': () => [PUBLIC, 'fd00:ec2::254'],
  'rebound.example.com': (count) => [count === 1 ? PUBLIC : '127.0.0.1'],
};

/** A service of this machine that no call may reach: it counts connections. */
const inside = { port: 0, connections: 0 };
const insideServer = createServer((socket) => {
  inside.connections += 1;
  socket.destroy();
});

let app: TestApp;
let names: DnsServer;
let worker: RunningWorker;
let vendor: TestOrganization;
let moduleId: string;

beforeAll(async () => {
  insideServer.listen(0, '127.0.0.1');
  await once(insideServer, 'listening');
  inside.port = (insideServer.address() as AddressInfo).port;
  names = await startDnsServer((name, _type, count) => NAMES[name]?.(count) ?? []);
  app = await startTestApp({ worker: false, config: { quotas: { maxWebhooksPerModule: 500 } } });
  const outbound = { ...app.config.outbound, dnsServers: [names.address] };
  worker = await runWorker({ ...app.config, outbound }, app.api.log);
  vendor = await app.organization();
  moduleId = await importSample(app, vendor);
});

afterAll(async () => {
  await worker.stop();
  await app.stop();
  await names.stop();
  insideServer.close();
});

/** Registers webhooks, whose addresses are stored as they are: names may have changed since they were registered. */
async function storeWebhooks(urls: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const url of urls) {
    const { body } = await app
      .as(vendor)
      .post(`/webhooks/${moduleId}`, { url: 'https://hooks.example.com/' });
    ids.push(body.id as string);
    await app.api.database('webhooks').where({ id: body.id }).update({ url });
  }
  return ids;
}

interface Call {
  readonly status: number | null;
  readonly error: string | null;
}

/** How the calls of a webhook ended, newest first. */
async function callsOf(webhookId: string): Promise<readonly Call[]> {
  return app.api
    .database('webhook_attempts')
    .where({ webhookId })
    .orderBy('createdAt', 'desc')
    .select<Call[]>('status', 'error');
}

test('none of the hostile addresses can be registered', async () => {
  expect(ADDRESSES.length).toBeGreaterThanOrEqual(60);
  for (const url of ADDRESSES) {
    const { status, body } = await app.as(vendor).post(`/webhooks/${moduleId}`, { url });
    expect([url, status, body.errors[0].pointer]).toEqual([url, 400, '/url']);
  }
});

test('none of the hostile addresses that are stored is ever called', async () => {
  const { port } = inside;
  const hosts = ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'];
  const urls = [
    ...ADDRESSES,
    ...hosts.flatMap((host) => [`https://${host}:${port}/`, `http://${host}:${port}/`]),
  ];
  const ids = await storeWebhooks(urls);
  await makeChanges(app, moduleId, 1);
  for (const [index, id] of ids.entries()) {
    await expect.poll(() => callsOf(id), { message: urls[index] ?? '' }).not.toEqual([]);
    for (const { status, error } of await callsOf(id))
      expect([urls[index], status, error]).toEqual([urls[index], null, expect.stringMatching(REFUSED)]);
    await app.api.database('webhooks').where({ id }).delete();
  }
  expect(inside.connections).toBe(0);
});

test('a name with an address that is not public is not called, whatever else it resolves to', async () => {
  const hosts = Object.keys(NAMES).filter((name) => !name.startsWith('rebound'));
  const ids = await storeWebhooks(hosts.map((host) => `https://${host}:${inside.port}/`));
  for (const [index, id] of ids.entries()) {
    await app.as(vendor).post(`/webhooks/${moduleId}/${id}/test`);
    await expect
      .poll(() => callsOf(id), { message: hosts[index] ?? '' })
      .toContainEqual({ status: null, error: NOT_PUBLIC });
  }
  expect(inside.connections).toBe(0);
});

test('a name that is rebound to this machine after its first answer is called at that address, and then refused', async () => {
  const [id = ''] = await storeWebhooks([`https://rebound.example.com:${inside.port}/`]);
  const sendTest = () => app.as(vendor).post(`/webhooks/${moduleId}/${id}/test`);
  await sendTest();
  // To the first, public address, which nothing is routed to.
  await expect
    .poll(() => callsOf(id))
    .toContainEqual({ status: null, error: expect.stringMatching(/^no answer/) as string });
  await sendTest();
  await expect.poll(() => callsOf(id)).toContainEqual({ status: null, error: NOT_PUBLIC });
  expect(inside.connections).toBe(0);
});
