import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { deleteOrganization } from '../../shared/db/access/delete-organization.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import { holdLock, holdTransaction } from '../support/held-lock.ts';
import { importSample } from '../support/import-sample.ts';
import { lockedCalls } from '../support/lock-waits.ts';
import { makeAlertSource, makeModule, sampleAlert } from '../support/machine-access.ts';
import { storeBlocks } from '../support/many-structures.ts';
import { accept, ADMIN, MEMBER, person } from '../support/members.ts';
import { startReading } from '../support/open-answer.ts';
import { packageForm } from '../support/package-form.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';
import { LOOPBACK_WEBHOOKS, makeChanges, makeWebhook } from '../support/webhook-module.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const test = serviceTest({ settings: LOOPBACK_WEBHOOKS });

const done = (answer: Answer) => expect(answer.status, answer.text).toBeLessThan(300);

/** Runs a call that waits for a lock, and `meanwhile` while it waits. */
async function whileWaiting(
  app: TestApp,
  [statement, values]: readonly [string, readonly string[]],
  call: () => Promise<Answer>,
  meanwhile: () => Promise<unknown>,
): Promise<Answer> {
  const held = await holdLock(app, statement, values);
  const answer = call();
  await expect.poll(() => lockedCalls(app)).toBe(1);
  await meanwhile();
  await held.release();
  return answer;
}

test('alerts that wait for a rule are not raised when their module goes into quarantine meanwhile', async ({
  app,
}) => {
  const source = await makeAlertSource(app);
  const { module, farmer, ruleId } = source;
  const answer = await whileWaiting(
    app,
    ['select from alert_rules where id = $1 for update', [ruleId]],
    () => app.as(module).post('/AlertsByModuleId', { alerts: [sampleAlert(source)] }),
    async () =>
      done(
        await app
          .as('operator')
          .post(`/operations/modules/${module.moduleId}/quarantine`, { reason: 'It deletes files.' }),
      ),
  );
  expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
  expect((await app.as(farmer).get('/alerts')).body.items).toEqual([]);
});

test('an invitation ends with the role of the group by which its maker was an administrator', async ({
  app,
}) => {
  const vendor = await app.organization();
  const group = `group-${randomUUID()}`;
  const put = async (items: readonly object[]) =>
    done(await app.as('operator').put(`/organizations/${vendor.id}/groups`, { items }));
  await put([{ group, role: 'OrganizationAdmin' }]);
  const { subject, caller } = person(app, vendor, { claims: { groups: [group] } });
  const made = await (await caller()).post('/invitations', { role: 'OrganizationAdmin' });
  done(made);
  await put([]);
  expect((await app.as(vendor).get('/invitations')).body.items).toEqual([]);
  expect((await accept(app, subject, String(made.body.secret))).status).toBe(404);
});

test('a module is not installed in an organization that is deleted while the call waits', async ({
  app,
  vendor,
}) => {
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const { moduleId } = await makeModule(app, vendor);
  const deleting = await holdTransaction(app.api.database);
  await deleteOrganization(deleting, farmer.id, false, FIXTURE_ACTOR);
  const installed = app.as(farmer).put(`/installations/${moduleId}`);
  await expect.poll(() => lockedCalls(app)).toBe(1);
  await deleting.commit();
  expect((await installed).status).toBe(403);
  expect(await app.api.database('installations').where({ organizationId: farmer.id })).toEqual([]);
});

/** A person whose membership is kept here: their header, and what removes them. */
async function makeMember(app: TestApp, organization: TestOrganization, roles: object) {
  const subject = `person-${randomUUID()}`;
  done(await app.as(organization).put(`/members/${subject}`, roles));
  return {
    headers: { Authorization: await app.bearer({ subject }) },
    remove: async () => done(await app.as(organization).delete(`/members/${subject}`)),
  };
}

test('the events of an import end when the member who watches them is removed', async ({ app }) => {
  const vendor = await app.organization();
  const { headers, remove } = await makeMember(app, vendor, MEMBER);
  const moduleId = await importSample(app, vendor);
  const lock = "select pg_advisory_xact_lock(hashtextextended('module ' || $1, 0))";
  const held = await holdLock(app, lock, [moduleId]);
  onTestFinished(() => held.release());
  const { body } = await app.importPackage(vendor, nextPackage(app, moduleId), {
    headers: { Prefer: 'respond-async' },
  });
  const path = `/api/v8.0/${vendor.id}/imports/${String(body.importId)}/events`;
  const events = await startReading(new URL(path, app.url), headers);
  expect(events.status).toBe(200);
  const rest = events.readRest();
  await remove();
  const { text } = await rest;
  expect(text).not.toContain('succeeded');
});

test("a long answer with an organization's farms is cut off when the member who reads it is removed", async ({
  app,
}) => {
  const farmer = await app.organization({ kind: 'farmer' });
  const { headers, remove } = await makeMember(app, farmer, MEMBER);
  await storeBlocks(app, farmer, 1_000, 9_000);
  const path = `/api/v8.0/${farmer.id}/structures`;
  const farms = await startReading(new URL(path, app.url), headers);
  expect(farms.status).toBe(200);
  await remove();
  await expect.poll(() => app.api.structures.streamSlots.taken(), { timeout: 30_000 }).toBe(0);
  expect((await farms.readRest()).isWhole).toBe(false);
});

const nextPackage = (app: TestApp, moduleId: string) =>
  samplePackage(app.api.catalogue, { descriptor: { moduleId, component: randomUUID() } });

test('a repeated upload is not answered with its import when its member is removed while it arrives', async ({
  app,
}) => {
  const vendor = await app.organization();
  const { headers, remove } = await makeMember(app, vendor, ADMIN);
  const zip = samplePackage(app.api.catalogue);
  const sent = { ...headers, 'Idempotency-Key': randomUUID(), Prefer: 'respond-async' };
  const upload = async (body: () => AsyncIterable<Uint8Array>) => {
    const form = new Response(packageForm(zip));
    const bytes = new Uint8Array(await form.arrayBuffer());
    const parts = async function* () {
      yield bytes.subarray(0, 400);
      yield* body();
      yield bytes.subarray(400);
    };
    return app.fetch(`/api/v8.0/${vendor.id}/ImportModuleAsync`, {
      method: 'POST',
      headers: { ...sent, 'Content-Type': form.headers.get('content-type') ?? '' },
      body: ReadableStream.from(parts()),
      duplex: 'half',
    });
  };
  const none = async function* () {};
  expect((await upload(none)).status).toBe(202);
  const removed = async function* () {
    await expect.poll(() => app.api.imports.uploadSlots.takenBy(vendor.id)).toBe(1);
    await remove();
  };
  expect((await upload(removed)).status).toBe(403);
});

test('a webhook is not disabled by the answer of an address that it no longer has', async ({
  app,
  vendor,
}) => {
  const next = await startReceiver();
  const old = await startReceiver(async (_call, response) => {
    done(await app.as(vendor).patch(webhook.path, { url: next.url }));
    response.writeHead(410).end();
  });
  const webhook = await makeWebhook(app, vendor, old.url);
  await makeChanges(app, webhook.moduleId, 1);
  const attempts = async () => (await app.as(vendor).get(`${webhook.path}/attempts`)).body.items as unknown;
  await expect.poll(attempts).toMatchObject([{ status: 410 }]);
  await makeChanges(app, webhook.moduleId, 1);
  await expect.poll(() => next.calls.length).toBe(1);
  expect((await app.as(vendor).get(webhook.path)).body).toMatchObject({ status: 'enabled' });
});

test('a webhook that has failed at another address for days is not disabled by its first failure at this one', async ({
  app,
  vendor,
}) => {
  const failing = await startReceiver((_call, response) => response.writeHead(500).end());
  const { moduleId, path, id } = await makeWebhook(app, vendor, 'http://127.0.0.1:1/');
  const long = new Date(Date.now() - 6 * 86_400_000);
  await app.api.database('webhooks').where({ id }).update({ failingSince: long, lastFailedAt: new Date() });
  done(await app.as(vendor).patch(path, { url: failing.url }));
  await makeChanges(app, moduleId, 1);
  const attempts = async () => (await app.as(vendor).get(`${path}/attempts`)).body.items as unknown;
  await expect.poll(attempts).toMatchObject([{ status: 500 }]);
  expect((await app.as(vendor).get(path)).body).toMatchObject({ status: 'enabled' });
});
