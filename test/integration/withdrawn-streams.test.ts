import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import express from 'express';
import { expect, onTestFinished, vi } from 'vitest';
import { sendStream } from '../../api/http/answer/send-stream.ts';
import type { TestModule } from '../support/caller.ts';
import { install, makeModule, putFarms, sampleFarm } from '../support/machine-access.ts';
import { storeBlocks } from '../support/many-structures.ts';
import { importSample } from '../support/import-sample.ts';
import { ADMIN } from '../support/members.ts';
import { startReading, type OpenAnswer } from '../support/open-answer.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest();

interface RunningStream {
  readonly module: TestModule;
  /** The organization with the structures that are being sent. */
  readonly first: TestOrganization;
  /** The organization with the structures that follow. */
  readonly last: TestOrganization;
  readonly stream: OpenAnswer;
}

/** A stream whose client has stopped to read in the structures of its first organization. */
async function runningStream(app: TestApp): Promise<RunningStream> {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor);
  const farmer = (id: string) => app.organization({ kind: 'farmer', tenantId: vendor.tenantId, id });
  const [firstId = '', lastId = ''] = [randomUUID(), randomUUID()].toSorted();
  const [first, last] = [await farmer(firstId), await farmer(lastId)];
  for (const each of [first, last]) await install(app, each, module.moduleId);
  await storeBlocks(app, first, 1_000, 9_000);
  await putFarms(app, last, [sampleFarm()]);
  const path = `/api/v8.0/Alerts/StructuresByModuleId/${module.moduleId}`;
  const stream = await startReading(new URL(path, app.url), { 'X-Api-Key': module.key });
  expect(stream.status).toBe(200);
  return { module, first, last, stream };
}

const WITHDRAWALS: Record<string, (app: TestApp, running: RunningStream) => Promise<unknown>> = {
  'the key is revoked': (app, { module }) => revokeKey(app, module),
  'the module is deleted': (app, { module: { vendor, moduleId } }) =>
    app.as(vendor).delete(`/modules/${moduleId}`),
  'the module is uninstalled': (app, { first, module: { moduleId } }) =>
    app.as(first).delete(`/installations/${moduleId}`),
  'the consent is narrowed': (app, { first, module: { moduleId } }) =>
    install(app, first, moduleId, ['FarmOrganizationAlerts']),
  'the vendor is suspended': (app, { module: { vendor } }) => suspend(app, vendor),
  'the farmer is suspended': (app, { first }) => suspend(app, first),
};

async function revokeKey(app: TestApp, { vendor, moduleId }: TestModule) {
  const { body } = await app.as(vendor).get(`/apiClients/${moduleId}`);
  const [{ clientId }] = body.items as [{ clientId: string }];
  return app.as(vendor).delete(`/apiClients/${moduleId}/${clientId}`);
}

function suspend(app: TestApp, { id }: TestOrganization) {
  const body = { reason: 'Invoices of March are not paid.', farmersKeepAccess: true };
  return app.as('operator').put(`/operations/organizations/${id}/suspension`, body);
}

test.for(Object.entries(WITHDRAWALS))(
  'a running stream is cut off without its client reading on when %s',
  async ([, withdraw], { app }) => {
    const running = await runningStream(app);
    await withdraw(app, running);
    await expect.poll(() => app.api.structures.streamSlots.taken(), { timeout: 30_000 }).toBe(0);
    const { text, isWhole } = await running.stream.readRest();
    expect(isWhole).toBe(false);
    expect(text).not.toContain(running.last.id);
  },
);

const KEY_ENDS: Record<string, (app: TestApp, module: TestModule) => Promise<unknown>> = {
  'the key is revoked': revokeKey,
  'the vendor is suspended': (app, { vendor }) => suspend(app, vendor),
};

test.for(Object.entries(KEY_ENDS))(
  'an event stream of changes ends when %s, though nothing changes',
  async ([, end], { app }) => {
    const module = await makeModule(app, await app.organization());
    const address = new URL(`/api/v8.0/Alerts/ChangesByModuleId/${module.moduleId}`, app.url);
    const headers = { 'X-Api-Key': module.key, Accept: 'text/event-stream' };
    expect((await startReading(address, headers)).status).toBe(200);
    await end(app, module);
    await expect.poll(() => app.api.eventSlots.takenBy(module.vendor.id), { timeout: 30_000 }).toBe(0);
  },
);

test('an organization that withdraws its consent before its turn is left out, and the others are sent whole', async ({
  app,
}) => {
  const { module, first, last, stream } = await runningStream(app);
  await app.as(last).delete(`/installations/${module.moduleId}`);
  // It counts within a second; the client reads nothing meanwhile.
  await setTimeout(1_000);
  const { text, isWhole } = await stream.readRest();
  expect(isWhole).toBe(true);
  const { organizations } = JSON.parse(text) as { organizations: { organizationId: string }[] };
  expect(organizations.map(({ organizationId }) => organizationId)).toEqual([first.id]);
});

const FILE = 'PackageArtifact/build/long.bin';
const DOWNLOADS = {
  'a file of a module': (moduleId: string) => `/modules/${moduleId}/files/${FILE}`,
  'an export': (moduleId: string) => `/ExportModuleAsync/${moduleId}`,
};

test.for(Object.entries(DOWNLOADS))(
  'the download of %s is cut off when its reader is removed, and that of another member goes on',
  async ([, path], { app, vendor }) => {
    // More than the socket buffers of both ends.
    const files = { [FILE]: Buffer.alloc(10 * 1024 * 1024, randomUUID()) };
    const moduleId = await importSample(app, vendor, { files, stored: [FILE] });
    const download = async () => {
      const subject = randomUUID();
      await app.as(vendor).put(`/members/${subject}`, ADMIN);
      const address = new URL(`/api/v8.0/${vendor.id}${path(moduleId)}`, app.url);
      const answer = await startReading(address, { Authorization: await app.bearer({ subject }) });
      return { member: `/members/${subject}`, answer };
    };
    const [removed, other] = [await download(), await download()];
    const log = vi.spyOn(app.api.log, 'info');
    onTestFinished(() => log.mockRestore());
    expect((await app.as(vendor).delete(removed.member)).status).toBe(204);
    // Its client reads nothing, so it does not notice.
    await expect.poll(() => log.mock.calls.flat()).toContain('reader lost access');
    expect((await removed.answer.readRest()).isWhole).toBe(false);
    expect((await other.answer.readRest()).isWhole).toBe(true);
  },
);

test('the download of a member by the claims of a token is cut off when the organization is suspended', async ({
  app,
}) => {
  const vendor = await app.organization();
  const files = { [FILE]: Buffer.alloc(10 * 1024 * 1024, randomUUID()) };
  const moduleId = await importSample(app, vendor, { files, stored: [FILE] });
  const address = new URL(`/api/v8.0/${vendor.id}${DOWNLOADS['an export'](moduleId)}`, app.url);
  const answer = await startReading(address, { Authorization: vendor.admin });
  const log = vi.spyOn(app.api.log, 'info');
  onTestFinished(() => log.mockRestore());
  await suspend(app, vendor);
  await expect.poll(() => log.mock.calls.flat()).toContain('reader lost access');
  expect((await answer.readRest()).isWhole).toBe(false);
});

/** Over HTTP/1.0 the end of the connection is the end of an answer: a part that ends with it would look complete. */
async function startPart({ api }: TestApp) {
  const source = new PassThrough();
  let sent = Promise.resolve();
  const service = express().get('/', (_request, response) => {
    sent = sendStream({ api, response, authority: null }, source);
    sent.catch(() => undefined);
    source.once('stalled', () => response.emit('timeout'));
  });
  const server = service.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.0\r\n\r\n');
  source.write('a part');
  let read = '';
  client.on('data', (piece: Buffer) => (read += piece.toString()));
  await expect.poll(() => read).toMatch(/a part$/);
  return { source, sent, ended: once(client, 'end') };
}

test('an answer over HTTP/1.0 whose source fails is reset', async ({ app }) => {
  const { source, ended } = await startPart(app);
  source.destroy(new Error('the database is gone'));
  await expect(ended).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('an answer whose source stalls is reset, and fails with the reason', async ({ app }) => {
  const { source, sent, ended } = await startPart(app);
  // As after a minute without a byte.
  source.emit('stalled');
  await Promise.all([
    expect(sent).rejects.toThrow('the source of the answer has stalled'),
    expect(ended).rejects.toMatchObject({ code: 'ECONNRESET' }),
  ]);
});
