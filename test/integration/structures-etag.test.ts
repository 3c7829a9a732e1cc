import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { putOrganization } from '../../shared/db/access/organizations.ts';
import { install, makeModule, putFarms, sampleFarm } from '../support/machine-access.ts';
import type { TestModule } from '../support/caller.ts';
import { storeBlocks } from '../support/many-structures.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';

const CALL = '/StructuresByModuleId';

let app: TestApp;
let shared: Market;

beforeAll(async () => {
  app = await startTestApp({ settings: { MAX_REQUESTS_PER_MINUTE_PER_KEY: '0' } });
  shared = await openMarket();
});

afterAll(() => app.stop());

/** A module that a farmer with one farm has installed. */
interface Market {
  readonly vendor: TestOrganization;
  readonly module: TestModule;
  readonly farmer: TestOrganization;
  readonly farm: ReturnType<typeof sampleFarm>;
}

async function openMarket(): Promise<Market> {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const farm = sampleFarm();
  await putFarms(app, farmer, [farm]);
  await install(app, farmer, module.moduleId);
  return { vendor, module, farmer, farm };
}

/** Another farmer that has installed the module, the last by its ID. */
async function addFarmer({ vendor: { tenantId }, module }: Market): Promise<TestOrganization> {
  const id = `ffffffff${randomUUID().slice(8)}`;
  const farmer = await app.organization({ kind: 'farmer', tenantId, id });
  await install(app, farmer, module.moduleId);
  return farmer;
}

interface Change {
  readonly what: string;
  readonly change: (market: Market) => Promise<unknown>;
  /** Other changes need a market in which this one has not been made. */
  readonly isLasting?: true;
  /** The status of the answer after the change. */
  readonly status?: number;
  readonly query?: string;
}

const CHANGES: readonly Change[] = [
  { what: 'a farm is added', change: ({ farmer }) => putFarms(app, farmer, [sampleFarm()]) },
  {
    what: 'a farm is renamed',
    change: ({ farmer, farm }) => putFarms(app, farmer, [{ ...farm, name: 'Hill farm' }]),
  },
  {
    what: 'a farm is archived',
    change: ({ farmer, farm }) => putFarms(app, farmer, [{ ...farm, status: 'archived' }]),
  },
  { what: 'structures are deleted', change: ({ farmer }) => app.as(farmer).delete('/structures') },
  {
    what: 'structures are deleted and stored again',
    async change({ farmer, farm }) {
      await app.as(farmer).delete('/structures');
      await putFarms(app, farmer, [farm]);
    },
  },
  {
    what: 'the organization is renamed',
    change: ({ farmer: { id, tenantId } }) =>
      putOrganization(app.api.database, { id, tenantId, kind: 'farmer', name: 'Renamed' }, FIXTURE_ACTOR),
  },
  { what: 'another organization installs the module', change: addFarmer },
  { what: 'another page follows', isLasting: true, change: addFarmer, query: '?limit=1' },
  {
    isLasting: true,
    what: 'the organization uninstalls the module',
    change: ({ farmer, module }) => app.as(farmer).delete(`/installations/${module.moduleId}`),
  },
  {
    isLasting: true,
    what: 'the organization accepts less',
    change: ({ farmer, module }) => install(app, farmer, module.moduleId, ['FarmOrganizationAlerts']),
  },
  {
    isLasting: true,
    what: 'a revision declares less',
    change: ({ vendor, module: { moduleId } }) =>
      makeModule(app, vendor, ['FarmOrganizationAlerts'], { descriptor: { moduleId } }),
    status: 403,
  },
  {
    isLasting: true,
    what: 'the module is deleted',
    async change({ vendor, module }) {
      await app.as(vendor).delete(`/modules/${module.moduleId}`);
      // Each process may cache a revoked key for part of the allowed second.
      await vi.waitUntil(async () => (await app.as(module).get(CALL)).status === 401);
    },
    status: 401,
  },
];

const FORMATS = ['application/json', 'application/x-ndjson', 'application/geo+json'] as const;

test.each(CHANGES)(
  'no 304 is returned after this, in any format: $what',
  async ({ change, isLasting = false, status = 200, query = '' }) => {
    const market = isLasting ? await openMarket() : shared;
    const { farmer, farm } = market;
    await putFarms(app, farmer, [{ ...farm, status: 'active' }]);
    const get = (format: string, headers: Record<string, string> = {}): Promise<Answer> =>
      app.as(market.module).get(`${CALL}${query}`, { Accept: format, ...headers });
    const etags = new Map<string, string>();
    for (const format of FORMATS) {
      const etag = (await get(format)).headers.get('etag') ?? '';
      expect((await get(format, { 'If-None-Match': etag })).status).toBe(304);
      etags.set(format, etag);
    }
    await change(market);
    for (const [format, etag] of etags) {
      const again = await get(format, { 'If-None-Match': etag });
      expect(again.status, format).toBe(status);
      expect(again.headers.get('etag')).not.toBe(etag);
    }
  },
);

test('a write that changes nothing keeps the ETag', async () => {
  const { module, farmer, farm } = shared;
  await putFarms(app, farmer, [farm]);
  const headers = { 'If-None-Match': (await app.as(module).get(CALL)).headers.get('etag') ?? '' };
  await putFarms(app, farmer, [farm]);
  expect((await app.as(module).get(CALL, headers)).status).toBe(304);
});

test('an unknown ETag gets the body with its own ETag', async () => {
  const { module } = shared;
  const plain = await app.as(module).get(CALL);
  const other = await app.as(module).get(CALL, { 'If-None-Match': 'W/"other"' });
  expect([other.status, other.text]).toEqual([200, plain.text]);
  expect(other.headers.get('etag')).toBe(plain.headers.get('etag'));
});

test('304 and HEAD read no structure: they are answered while the table is locked', async () => {
  const { module } = shared;
  const etag = (await app.as(module).get(CALL)).headers.get('etag') ?? '';
  const holder = new pg.Client({ connectionString: app.config.database.url ?? '' });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table structures in access exclusive mode');
    const known = await app.as(module).get(CALL, { 'If-None-Match': etag });
    expect(known.status).toBe(304);
    const head = await app.as(module).call(`HEAD ${CALL}`);
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
  } finally {
    await holder.end();
  }
});

test.each(['', '?limit=1', '?includeArchived=true'])(
  'a short answer is read once, and then only its state until it changes, by named statements: %s',
  async (query) => {
    const { module } = shared;
    const farmer = await addFarmer(shared);
    const first = await readsOf(async () => app.as(module).get(`${CALL}${query}`));
    expect(first.statements).toEqual(['grants', 'structures']);
    expect(first.answer.headers.get('content-length')).not.toBeNull();
    const again = await readsOf(async () => app.as(module).get(`${CALL}${query}`));
    expect(again.statements).toEqual(['grants']);
    expect(again.answer.body).toEqual(first.answer.body);
    await putFarms(app, farmer, [{ ...sampleFarm(), name: 'Changed farm' }]);
    const changed = await readsOf(async () => app.as(module).get(`${CALL}${query}`));
    if (query !== '?limit=1') expect(JSON.stringify(changed.answer.body)).toContain('Changed farm');
    const whole = await app.as(module).get(`${CALL}${query}`, { 'If-None-Match': '"other"' });
    expect(whole.body).toEqual(changed.answer.body);
  },
);

/** What a call answers, and the kinds of named statements that it runs for it. */
async function readsOf<Result>(call: () => Promise<Result>) {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  try {
    const answer = await call();
    const statements = spy.mock.calls.map(([each]) => each as unknown as { name?: string; text?: string });
    // In the background changes get their positions and webhooks are called, which has no part in the answer.
    const reads = statements.filter(
      ({ name, text = '' }) =>
        name !== undefined &&
        /structure|installations/.test(text) &&
        !/delete from outbox|webhook_deliveries/.test(text),
    );
    const kinds = reads.map(({ text = '' }) => (text.includes('from structures') ? 'structures' : 'grants'));
    return { answer, statements: kinds };
  } finally {
    spy.mockRestore();
  }
}

test('a page is short, however large the next organization is', async () => {
  const market = await openMarket();
  const { module, farmer } = market;
  const next = await addFarmer(market);
  await storeBlocks(app, next, 20, 90_000);
  const page = await app.as(module).get(`${CALL}?limit=1`);
  expect(page.body.organizations).toMatchObject([{ organizationId: farmer.id }]);
  expect(page.headers.get('content-length')).not.toBeNull();
  const path = `/api/v8.0/Alerts${CALL}/${module.moduleId}`;
  const whole = await fetch(new URL(path, app.url), { headers: { 'X-Api-Key': module.key } });
  expect([whole.status, whole.headers.get('content-length')]).toEqual([200, null]);
  await whole.body?.cancel();
});
