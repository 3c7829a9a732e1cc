import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiContext } from '../../api/open-context.ts';
import { drain, serve } from '../../api/http/server/serve.ts';
import { makeApiKey } from '../../shared/db/access/api-key.ts';
import { install, makeModule } from '../support/machine-access.ts';
import { storeBlocks } from '../support/many-structures.ts';
import type { TestModule } from '../support/caller.ts';
import { startReading } from '../support/open-answer.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const CALL = '/StructuresByModuleId';
const QUOTA = 5;
const ORGANIZATION_QUOTA = 8;

let app: TestApp;
let second: Awaited<ReturnType<typeof startSecondApi>>;

beforeAll(async () => {
  app = await startTestApp({
    settings: {
      MAX_REQUESTS_PER_MINUTE_PER_KEY: String(QUOTA),
      MAX_REQUESTS_PER_MINUTE_PER_ORGANIZATION: String(ORGANIZATION_QUOTA),
    },
  });
  second = await startSecondApi();
});

afterAll(async () => {
  await second.stop();
  await app.stop();
});

/** A second API process of the same service. */
async function startSecondApi() {
  const api = await openApiContext(app.config);
  const serving = await serve(api);
  return {
    url: `http://127.0.0.1:${serving.port}`,
    async stop() {
      await drain(serving, api, { delayMs: 0, finishMs: 1_000 });
      await api.close();
    },
  };
}

test('answers contain the policy and the remaining quota, and the call after the last one is a 429 with Retry-After', async () => {
  const module = await makeModule(app, await app.organization());
  for (let left = QUOTA - 1; left >= 0; left -= 1) {
    const answer = await app.as(module).get(CALL);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('ratelimit-policy')).toBe(
      `"key";q=${QUOTA};w=60, "organization";q=${ORGANIZATION_QUOTA};w=60`,
    );
    const [, key, organization] =
      /^"key";r=(\d+);t=\d+, "organization";r=(\d+);t=\d+$/.exec(answer.headers.get('ratelimit') ?? '') ?? [];
    expect([key, organization]).toEqual([String(left), String(left + ORGANIZATION_QUOTA - QUOTA)]);
  }
  const refused = await app.as(module).get(CALL);
  expect(refused.body).toMatchObject({ status: 429, type: '/problems/rate-limited' });
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(refused.headers.get('ratelimit')).toMatch(/^"key";r=0;/);
});

test("an organization's keys share its quota, and do not use another organization's", async () => {
  const vendor = await app.organization();
  const [one, two] = [await makeModule(app, vendor), await makeModule(app, vendor)];
  const statuses = [];
  for (let call = 0; call < ORGANIZATION_QUOTA; call += 1)
    statuses.push((await app.as(call % 2 === 0 ? one : two).get(CALL)).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await app.as(two).get(CALL)).status).toBe(429);
  expect((await app.as(await makeModule(app, await app.organization())).get(CALL)).status).toBe(200);
});

test('wrong keys use no quota', async () => {
  const module = await makeModule(app, await app.organization());
  for (let call = 0; call < 2 * QUOTA; call += 1) await app.as({ ...module, key: 'mmk_wrong' }).get(CALL);
  expect((await app.as(module).get(CALL)).headers.get('ratelimit')).toContain(`"key";r=${QUOTA - 1}`);
});

/** A module whose answer is too long to be sent at once. */
async function moduleWithLongAnswer(): Promise<TestModule> {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await install(app, farmer, module.moduleId);
  await storeBlocks(app, farmer, 100, 90_000);
  return module;
}

const beginAnswer = ({ moduleId, key }: TestModule) =>
  startReading(new URL(`/api/v8.0/Alerts${CALL}/${moduleId}`, app.url), { 'X-Api-Key': key });

test('a key gets two long answers at once, a third is refused; one that hangs up releases its slot', async () => {
  const module = await moduleWithLongAnswer();
  const [one, two] = [await beginAnswer(module), await beginAnswer(module)];
  expect([one.status, two.status]).toEqual([200, 200]);
  const third = await app.as(module).get(CALL);
  expect(third.body).toMatchObject({ status: 429, type: '/problems/rate-limited' });
  expect(third.headers.get('retry-after')).not.toBeNull();
  one.hangUp();
  two.hangUp();
  await expect.poll(() => app.api.structures.streamSlots.taken(), { timeout: 10_000 }).toBe(0);
  expect(await (await beginAnswer(module)).readRest()).toMatchObject({ isWhole: true });
});

/** The status of a call with the module's key; 403 means that the key was accepted, because it belongs to another module than the path. */
async function statusOf({ key }: TestModule): Promise<number> {
  const path = `/api/v8.0/Alerts/RuleDefinitionsByModuleId/${randomUUID()}`;
  return (await app.fetch(path, { headers: { 'X-Api-Key': key } })).status;
}

test('a cached key is refused when its check fails', async () => {
  const module = await makeModule(app, await app.organization());
  const { database } = app.api;
  expect(await statusOf(module)).toBe(403);
  try {
    await database.raw('alter table api_keys rename to api_keys_unavailable');
    await expect.poll(() => statusOf(module), { interval: 250 }).toBe(503);
  } finally {
    await database.raw('alter table api_keys_unavailable rename to api_keys');
  }
  expect(await statusOf(module)).not.toBe(503);
});

test('concurrent requests with a key that is not cached share one read', async () => {
  const module = await makeModule(app, await app.organization());
  expect(await queriesOf(() => Promise.all(Array.from({ length: 4 }, () => statusOf(module))))).toBe(1);
});

test('a cached key is checked without a query', async () => {
  const module = await makeModule(app, await app.organization());
  const path = `/api/v8.0/Alerts/RuleDefinitionsByModuleId/${randomUUID()}`;
  const call = () => app.fetch(path, { headers: { 'X-Api-Key': module.key } });
  await expect.poll(async () => (await call(), queriesOf(call))).toBe(0);
});

/** The number of queries for keys while a function runs; others run in the background, such as notes of their use. */
async function queriesOf(act: () => Promise<unknown>): Promise<number> {
  let queries = 0;
  const count = ({ sql }: { readonly sql: string }) => {
    if (sql.includes('api_keys') && !sql.includes('update api_keys')) queries += 1;
  };
  app.api.database.on('query', count);
  await act();
  app.api.database.removeListener('query', count);
  return queries;
}

test('a typo in a key is refused without a query', async () => {
  const module = await makeModule(app, await app.organization());
  const key = `${module.key.slice(0, -1)}${module.key.endsWith('0') ? '1' : '0'}`;
  expect(await queriesOf(() => app.as({ ...module, key }).get(CALL))).toBe(0);
});

test('unknown, expired and revoked keys cost the same: one query', async () => {
  const vendor = await app.organization();
  const [expired, revoked] = [await makeModule(app, vendor), await makeModule(app, vendor)];
  const keys = () => app.api.database('api_keys');
  await keys()
    .where({ moduleId: expired.moduleId })
    .update({ expiresAt: new Date(0) });
  await keys()
    .where({ moduleId: revoked.moduleId })
    .update({ revokedAt: new Date(0) });
  const costs = [];
  for (const key of [makeApiKey().secret, expired.key, revoked.key])
    costs.push(await queriesOf(() => app.as({ ...expired, key }).get(CALL)));
  expect(costs).toEqual([1, 1, 1]);
});

test('a revocation reaches every API process', async () => {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor);
  const path = `${second.url}/api/v8.0/Alerts${CALL}/${randomUUID()}`;
  const status = async () => (await fetch(path, { headers: { 'X-Api-Key': module.key } })).status;
  // 403 means that the key was accepted: it belongs to another module than the path.
  expect(await status()).toBe(403);
  const list = await app.as(vendor).get(`/apiClients/${module.moduleId}`);
  const [client] = list.body.items as { clientId: string }[];
  await app.as(vendor).delete(`/apiClients/${module.moduleId}/${client?.clientId ?? ''}`);
  await expect.poll(status, { interval: 20 }).toBe(401);
});

test('API processes count calls together if there is Redis, and separately if there is none', async () => {
  const module = await makeModule(app, await app.organization());
  const path = `${second.url}/api/v8.0/Alerts${CALL}/${module.moduleId}`;
  await app.as(module).get(CALL);
  const answer = await fetch(path, { headers: { 'X-Api-Key': module.key } });
  const left = app.config.redisUrl === null ? QUOTA - 1 : QUOTA - 2;
  expect(answer.headers.get('ratelimit')).toContain(`"key";r=${left};`);
});
