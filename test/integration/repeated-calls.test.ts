import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { ENDPOINTS } from '../../api/endpoints.ts';
import { OPERATOR_OWNER } from '../../shared/db/webhooks/operator-owner.ts';
import { clearOrganizations } from '../../worker/maintenance/clear-organizations.ts';
import { holdLock } from '../support/held-lock.ts';
import { lockedCalls } from '../support/lock-waits.ts';
import { makeAlertSource, sampleAlert, type AlertSource } from '../support/machine-access.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Who } from '../support/caller.ts';
import { sampleSubscription } from '../support/push-service.ts';
import type { Answer, TestApp } from '../support/test-app.ts';
import { withWorker } from '../support/with-worker.ts';

const base = serviceTest({
  worker: false,
  settings: { PORTAL_CLIENT_ID: 'portal' },
});

const test = base.extend<{ source: AlertSource }>({
  source: [async ({ app }, use) => use(await withWorker(app, () => makeAlertSource(app))), { scope: 'file' }],
});

/** A request, and another one that the same caller sends by mistake with the same key. */
interface Request {
  readonly who: Who;
  readonly path: string;
  readonly body?: object;
  readonly other: { readonly path?: string; readonly body?: object };
}

type RequestTable = Readonly<
  Record<string, (app: TestApp, source: AlertSource) => Request | Promise<Request>>
>;

interface WebhooksOf {
  readonly who: Who;
  readonly path: string;
  /** The module of their changes. */
  readonly moduleId: string;
}

const URL = 'https://hooks.example.com/modules';
const REPORT = { reason: 'broken', text: 'It shows an empty page.' };
const RULE = { criteria: 'temperature', values: { operator: 'lt', value: 1 } };

/** The calls that make something of webhooks: those of a module, or the operator's. */
function webhookRequests(noun: string, hooksOf: (source: AlertSource) => WebhooksOf): RequestTable {
  const ofWebhook =
    (call: string) =>
    async (app: TestApp, source: AlertSource): Promise<Request> => {
      const { who, path: all } = hooksOf(source);
      const made = await app.as(who).post(all, { url: URL });
      const path = `${all}/${String(made.body.id)}${call}`;
      return { who, path, other: { path: path.replace(String(made.body.id), randomUUID()) } };
    };
  return {
    [`create${noun}`]: (_, source) => ({
      ...hooksOf(source),
      ...{ body: { url: URL }, other: { body: { url: `${URL}/other` } } },
    }),
    [`rotate${noun}`]: ofWebhook('/rotate'),
    [`test${noun}`]: ofWebhook('/test'),
    async [`resend${noun}`](app, source) {
      const { who, path: all, moduleId } = hooksOf(source);
      const webhook = await app.as(who).post(all, { url: URL });
      const { database } = app.api;
      await database('outbox').insert({ type: 'module.deprecated', moduleId, subject: {} });
      await app.api.changes.sequence();
      const { id: eventId } = await database('changes').where({ moduleId }).first<{ id: string }>('id');
      const attempt = { id: randomUUID(), webhookId: webhook.body.id as string, eventId };
      await database('webhook_attempts').insert({
        ...attempt,
        type: 'module.deprecated',
        number: 1,
        durationMs: 1,
      });
      const path = `${all}/${attempt.webhookId}/attempts/${attempt.id}/resend`;
      return { who, path, other: { path: path.replace(attempt.id, randomUUID()) } };
    },
  };
}

/** Each call that makes something, by the ID of its operation. */
const REQUESTS: RequestTable = {
  registerApiClient: (_, { module: { vendor, moduleId } }) => ({
    who: vendor,
    path: `/registerApiClient/${moduleId}`,
    other: { body: { clientName: 'other' } },
  }),
  async rotateApiClient(app, { module: { vendor, moduleId } }) {
    const { body } = await app.as(vendor).post(`/registerApiClient/${moduleId}`);
    const path = `/apiClients/${moduleId}/${String(body.clientId)}/rotate`;
    return { who: vendor, path, other: { body: { overlapSeconds: 1 } } };
  },
  ...webhookRequests('Webhook', ({ module: { vendor, moduleId } }) => ({
    ...{ who: vendor, path: `/webhooks/${moduleId}`, moduleId },
  })),
  ...webhookRequests('OperatorWebhook', () => ({
    ...{ who: 'operator', path: '/operations/webhooks', moduleId: OPERATOR_OWNER.moduleId },
  })),
  createPushSubscription: (_, { farmer }) => ({
    ...{ who: farmer, path: '/pushSubscriptions', body: sampleSubscription('https://push.example.com/1') },
    other: { body: sampleSubscription('https://push.example.com/2') },
  }),
  createInvitation: (_, { farmer }) => ({
    ...{ who: farmer, path: '/invitations', body: { role: 'OrganizationMember' } },
    other: { body: { role: 'OrganizationAdmin' } },
  }),
  createAlertRule: (_, { farmer, module: { moduleId } }) => ({
    ...{ who: farmer, path: '/alertRules', body: { moduleId, ...RULE } },
    other: { body: { moduleId, ...RULE, name: 'other' } },
  }),
  createReport: (_, { farmer, module: { moduleId } }) => ({
    ...{ who: farmer, path: `/availableModules/${moduleId}/reports`, body: REPORT },
    other: { body: { ...REPORT, reason: 'other' } },
  }),
  raiseAlerts: (_, source) => ({
    ...{ who: source.module, path: '/AlertsByModuleId', body: { alerts: [sampleAlert(source)] } },
    other: { path: '/AlertsByModuleId?partial' },
  }),
};

/** The calls that take no key, and why they may be repeated without one. */
const WITHOUT_KEY: Readonly<Record<string, string>> = {
  acceptInvitation: 'the secret is used once, and its user is answered as the first time',
  exchangeToken: 'a token is exchanged once, and what a lost answer had is used by nobody',
  acknowledgeAlert: 'a state',
  answerReview: 'a decision has one answer',
  decideReview: 'a review has one decision',
  cancelImport: 'a state',
  deprecateModule: 'a state',
  dismissImport: 'a state',
  offerModule: 'a state',
  quarantineModule: 'a state',
  releaseRevision: 'a state',
  reportRules: 'a state: recorded once a minute',
  retryFailedImports: 'a state: what is queued again has failed no longer',
  retryImport: 'a state: queued again',
  unsubscribePerson: 'a state',
  withdrawModule: 'a state',
};

const POSTS = ENDPOINTS.filter(({ method }) => method === 'post');
const hasKey = (id: string) =>
  POSTS.some((each) => each.id === id && 'Idempotency-Key' in (each.headers ?? {}));
const idsOf = (table: object) => Object.keys(table).toSorted();

/** What the calls above have made: each writes an entry of the audit log, an alert or a browser. */
async function countMade({ api }: TestApp): Promise<number> {
  const { rows } = await api.database.raw<{ rows: { n: number }[] }>(
    `select (select count(*) from audit_log) + (select count(*) from alerts)
       + (select count(*) from notification_recipients) as n`,
  );
  return rows[0]?.n ?? 0;
}

const withKey = (key: string) => ({ 'Idempotency-Key': key });
const outcome = ({ status, body }: Answer) => [status, body.type as unknown];
const MISMATCH = [422, '/problems/request-idempotency-mismatch'];

test('each POST takes a key, or does the same when it is repeated', () => {
  const ids = POSTS.map(({ id }) => id);
  expect(ids.filter((id) => !hasKey(id)).toSorted()).toEqual(idsOf(WITHOUT_KEY));
  expect(ids.filter((id) => hasKey(id)).toSorted()).toEqual(['importModule', ...idsOf(REQUESTS)].toSorted());
});

describe.each(Object.entries(REQUESTS))('%s', (id, requestOf) => {
  test('sent at once and again makes one thing, with one answer that alone has the secret', async ({
    app,
    source,
  }) => {
    const { who, path, body, other } = await requestOf(app, source);
    const headers = withKey(randomUUID());
    const send = () => app.as(who).post(path, body, headers);
    const made = await countMade(app);
    const answers = [...(await Promise.all([send(), send(), send()])), await send()];
    expect(await countMade(app)).toBe(made + 1);
    const [status = 0] = answers.map((each) => each.status);
    const { shownOnce = [] } = POSTS.find((each) => each.id === id)?.answers[status] ?? {};
    const hidden = Object.fromEntries(shownOnce.map((name) => [name, null]));
    for (const answer of answers) {
      expect(answer.status, answer.text).toBeLessThan(300);
      expect({ ...answer.body, ...hidden }).toEqual({ ...answers[0]?.body, ...hidden });
      for (const name of ['location', 'cache-control'])
        expect(answer.headers.get(name)).toBe(answers[0]?.headers.get(name));
    }
    for (const name of shownOnce) expect(answers.filter((each) => each.body[name] !== null).length).toBe(1);
    const [wrongPath, wrongBody] = [other.path ?? path, other.body ?? body];
    expect(outcome(await app.as(who).post(wrongPath, wrongBody, headers))).toEqual(MISMATCH);
    expect(await countMade(app)).toBe(made + 1);
  });
});

test('a secret is stored with no key', async ({ app, source: { module } }) => {
  const key = randomUUID();
  const own = app.as(module.vendor);
  const { body } = await own.post(`/registerApiClient/${module.moduleId}`, undefined, withKey(key));
  expect(body.clientSecret).toMatch(/^mmk_/);
  const rows = await app.api.database('idempotency_keys').where({ key });
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(body.clientSecret);
});

test('spacing of JSON does not make another request', async ({ app, source: { farmer } }) => {
  const headers = withKey(randomUUID());
  const first = await app.as(farmer).post('/invitations', '{"role":"OrganizationMember"}', headers);
  const again = await app.as(farmer).post('/invitations', '{ "role": "OrganizationMember" }', headers);
  expect(again.body).toEqual({ ...first.body, secret: null, link: null });
});

test('the key of another organization is another key', async ({ app, source: { farmer, module } }) => {
  const headers = withKey(randomUUID());
  const body = { role: 'OrganizationMember' };
  const first = await app.as(farmer).post('/invitations', body, headers);
  const other = await app.as(module.vendor).post('/invitations', body, headers);
  expect([first.status, other.status]).toEqual([201, 201]);
  expect(other.body.id).not.toBe(first.body.id);
});

test('the key of an import is the key of no other request', async ({ app, source: { module } }) => {
  const [key, otherKey] = [randomUUID(), randomUUID()];
  const zip = samplePackage(app.api.catalogue);
  const options = (name: string) => ({ headers: { ...withKey(name), Prefer: 'respond-async' } });
  const register = (name: string) =>
    app.as(module.vendor).post(`/registerApiClient/${module.moduleId}`, undefined, withKey(name));
  expect((await app.importPackage(module.vendor, zip, options(key))).status).toBe(202);
  expect(outcome(await register(key))).toEqual(MISMATCH);
  expect((await register(otherKey)).status).toBe(200);
  expect(outcome(await app.importPackage(module.vendor, zip, options(otherKey)))).toEqual(MISMATCH);
});

test('a refused request leaves its key free', async ({ app, source: { module } }) => {
  const headers = withKey(randomUUID());
  const own = app.as(module.vendor);
  expect((await own.post(`/registerApiClient/${randomUUID()}`, undefined, headers)).status).toBe(404);
  expect((await own.post(`/registerApiClient/${module.moduleId}`, undefined, headers)).status).toBe(200);
});

test('a key that stands for nothing any more is free', async ({ app, source: { farmer } }) => {
  const key = randomUUID();
  const body = { role: 'OrganizationMember' };
  const first = await app.as(farmer).post('/invitations', body, withKey(key));
  await app.api
    .database('idempotency_keys')
    .where({ key })
    .update({ expiresAt: new Date(0) });
  const second = await app.as(farmer).post('/invitations', { role: 'OrganizationAdmin' }, withKey(key));
  expect(second.status, second.text).toBe(201);
  expect(second.body.id).not.toBe(first.body.id);
});

test.for(['', 'x'.repeat(256), 'two words'])('the key %j is refused', async (key, { app, source }) => {
  const answer = await app
    .as(source.farmer)
    .post('/invitations', { role: 'OrganizationMember' }, withKey(key));
  expect(outcome(answer)).toEqual([400, '/problems/request-invalid']);
});

test('a request with a key that meets a lock waits for it, and makes one thing', async ({ app, source }) => {
  const { vendor, moduleId } = source.module;
  const lock = await holdLock(app, 'select from modules where id = $1 for update', [moduleId]);
  const made = await countMade(app);
  const headers = withKey(randomUUID());
  const send = () => app.as(vendor).post(`/registerApiClient/${moduleId}`, undefined, headers);
  const sent = [send(), send()];
  await expect.poll(() => lockedCalls(app)).toBe(2);
  await lock.release();
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(new Set(answers.map(({ body }) => body.id as string)).size).toBe(1);
  expect(await countMade(app)).toBe(made + 1);
});

test('a repeat whose authority was withdrawn gets no answer', async ({ app, source: { farmer } }) => {
  const subject = `person-${randomUUID()}`;
  await app.as(farmer).put(`/members/${subject}`, { roles: ['OrganizationAdmin'] });
  const person = app.as(farmer, await app.bearer({ subject }));
  const key = randomUUID();
  const send = () => person.post('/invitations', { role: 'OrganizationMember' }, withKey(key));
  expect((await send()).status).toBe(201);
  // The first answer is being written: the repeat has been admitted, and waits for it.
  const lock = await holdLock(app, 'select from idempotency_keys where key = $1 for update', [key]);
  const repeat = send();
  await expect.poll(() => lockedCalls(app)).toBe(1);
  await app.as(farmer).delete(`/members/${subject}`);
  await lock.release();
  expect((await repeat).status).toBe(403);
});

test('the keys of a deleted organization are deleted', async ({ app }) => {
  const farmer = await app.organization({ kind: 'farmer' });
  const sent = await app.as(farmer).post('/invitations', { role: 'OrganizationMember' }, withKey('key'));
  expect(sent.status).toBe(201);
  await app.as('operator').delete(`/organizations/${farmer.id}`);
  await clearOrganizations(app.api, 86_400_000);
  const left = await app.api.database('idempotency_keys').where({ organizationId: farmer.id });
  expect(left).toEqual([]);
});
