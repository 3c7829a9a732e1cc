import { expect } from 'vitest';
import { DataReadLog, MAX_WAITING } from '../../api/machine-access/data-read-log.ts';
import type { DataReadKind } from '../../shared/db/access/models.ts';
import { clearOrganizations } from '../../worker/maintenance/clear-organizations.ts';
import type { TestModule } from '../support/caller.ts';
import { textsOf } from '../support/exported-package.ts';
import { install, makeModule, makeRule, putFarms, sampleFarm } from '../support/machine-access.ts';
import { storeBlocks } from '../support/many-structures.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest();
const GET = { method: 'GET' };

interface Read {
  readonly day: string;
  readonly moduleId: string;
  readonly moduleName: string | null;
  readonly kind: DataReadKind;
  readonly createdAt: string;
}

/** A farmer with a farm that has installed the module. */
async function farmerWith(app: TestApp, { vendor, moduleId }: TestModule): Promise<TestOrganization> {
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await install(app, farmer, moduleId);
  await putFarms(app, farmer, [sampleFarm()]);
  return farmer;
}

async function readsOf(app: TestApp, farmer: TestOrganization, query = ''): Promise<readonly Read[]> {
  await app.api.dataReads.flush();
  const answer = await app.as(farmer, farmer.member).get(`/dataReads${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.items as Read[];
}

const kindsOf = async (...call: Parameters<typeof readsOf>) =>
  (await readsOf(...call)).map(({ kind }) => kind).toSorted();

const rowsOf = (app: TestApp, { id }: TestOrganization) =>
  app.api.database('data_reads').where({ organizationId: id });

test('every call that returns data of a farmer is listed as what it returns; others are not', async ({
  app,
  vendor,
}) => {
  const module = await makeModule(app, vendor);
  const farmer = await farmerWith(app, module);
  const back = app.as(module);
  await makeRule(app, farmer, module.moduleId);
  await back.get('/RuleDefinitionsByModuleId');
  await back.post('/ReportsByModuleId');
  expect(await kindsOf(app, farmer)).toEqual([]);
  for (const [path, kind] of [
    ['/StructuresByModuleId', 'structures'],
    ['/RulesByModuleId', 'alertRules'],
    ['/ChangesByModuleId?cursor=0', 'changes'],
    ['/InstallationsByModuleId', 'installations'],
  ] as const) {
    const before = await kindsOf(app, farmer);
    expect((await back.get(path)).status).toBe(200);
    expect(await kindsOf(app, farmer), path).toEqual([...before, kind].toSorted());
  }
  const today = new Date().toISOString().slice(0, 10);
  for (const read of await readsOf(app, farmer))
    expect(read).toMatchObject({ moduleId: module.moduleId, moduleName: expect.any(String) as string });
  expect(
    (await readsOf(app, farmer)).every(({ day, createdAt }) => day <= today && createdAt.startsWith(day)),
  ).toBe(true);
});

test.for(['/StructuresByModuleId', '/RulesByModuleId'])(
  'an answer without data is no read: 304 and HEAD of %s',
  async (path, { app, vendor }) => {
    const module = await makeModule(app, vendor);
    const farmer = await farmerWith(app, module);
    const first = await app.as(module).call(`HEAD ${path}`);
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' };
    expect((await app.as(module).get(path, headers)).status).toBe(304);
    expect(await readsOf(app, farmer)).toEqual([]);
  },
);

test('each organization whose data is in an answer has the read, and no other', async ({ app, vendor }) => {
  const module = await makeModule(app, vendor);
  const farmers = [await farmerWith(app, module), await farmerWith(app, module)];
  const other = await farmerWith(app, await makeModule(app, vendor));
  const [first, second] = farmers.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (first === undefined || second === undefined) throw new Error('two farmers');
  await app.as(module).get('/StructuresByModuleId?limit=1');
  expect([await kindsOf(app, first), await kindsOf(app, second)]).toEqual([['structures'], []]);
  await app.as(module).get('/StructuresByModuleId');
  expect(await kindsOf(app, second)).toEqual(['structures']);
  expect(await readsOf(app, other)).toEqual([]);
});

test('an answer that is streamed is a read of each organization in it', async ({ app, vendor }) => {
  const module = await makeModule(app, vendor);
  const short = await farmerWith(app, module);
  const long = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await install(app, long, module.moduleId);
  await storeBlocks(app, long, 1_500, 1_000);
  const address = new URL(`/api/v8.0/Alerts/StructuresByModuleId/${module.moduleId}`, app.url);
  const answer = await fetch(address, {
    headers: { 'X-Api-Key': module.key, Accept: 'application/x-ndjson' },
  });
  expect((await answer.text()).trim().split('\n')).toHaveLength(2);
  expect([await kindsOf(app, long), await kindsOf(app, short)]).toEqual([['structures'], ['structures']]);
});

test("a farmer's own reads are none of a module", async ({ app, vendor }) => {
  const farmer = await farmerWith(app, await makeModule(app, vendor));
  await app.as(farmer).get('/structures');
  expect(await readsOf(app, farmer)).toEqual([]);
});

test('many reads on a day are one row, and no further statement', async ({ app, vendor }) => {
  const module = await makeModule(app, vendor);
  const farmer = await farmerWith(app, module);
  const read = () => app.as(module).get('/StructuresByModuleId');
  await read();
  const [row] = await readsOf(app, farmer);
  await rowsOf(app, farmer).delete();
  await read();
  // What was noted today is not written again.
  expect(await readsOf(app, farmer)).toEqual([]);
  expect(row).toMatchObject({ kind: 'structures' });
});

test('two processes that note the same reads at once make one row of each', async ({ app, vendor }) => {
  const module = await makeModule(app, vendor);
  const farmers = await Promise.all(Array.from({ length: 8 }, () => farmerWith(app, module)));
  const ids = farmers.map(({ id }) => id);
  const { database, log } = app.api;
  const processes = Array.from({ length: 4 }, () => new DataReadLog(database, log));
  for (const [index, each] of processes.entries())
    each.note(GET, { moduleId: module.moduleId, kind: 'changes' }, index % 2 === 0 ? ids : ids.toReversed());
  await Promise.all(processes.map((each) => each.close()));
  const rows = await database('data_reads').whereIn('organizationId', ids);
  expect(rows).toHaveLength(ids.length);
});

test('the next day is another row; the days and modules are filtered and paged, newest first', async ({
  app,
  vendor,
}) => {
  const modules = [await makeModule(app, vendor), await makeModule(app, vendor)];
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  for (const { moduleId } of modules) await install(app, farmer, moduleId);
  for (const module of modules) await app.as(module).get('/InstallationsByModuleId');
  await app.api.dataReads.flush();
  await rowsOf(app, farmer).update({ createdAt: app.api.database.raw("created_at - interval '1 day'") });
  const { log, database } = app.api;
  const tomorrow = new DataReadLog(database, log);
  for (const { moduleId } of modules) tomorrow.note(GET, { moduleId, kind: 'installations' }, [farmer.id]);
  await tomorrow.close();
  const all = await app.as(farmer).pages<Read>('/dataReads');
  expect(all).toHaveLength(4);
  const days = all.map(({ day }) => day);
  expect([new Set(days).size, days]).toEqual([2, days.toSorted().toReversed()]);
  const own = await readsOf(app, farmer, `?moduleId=${modules[0]?.moduleId ?? ''}`);
  expect(own.map(({ moduleId }) => moduleId)).toEqual(Array.from({ length: 2 }, () => modules[0]?.moduleId));
});

test('what a module read stays with its name after it is uninstalled and deleted, and is exported', async ({
  app,
  vendor,
}) => {
  const module = await makeModule(app, vendor);
  const farmer = await farmerWith(app, module);
  await app.as(module).get('/StructuresByModuleId');
  const before = await readsOf(app, farmer);
  expect((await app.as(farmer).delete(`/installations/${module.moduleId}`)).status).toBe(204);
  expect((await app.as(vendor).delete(`/modules/${module.moduleId}`)).status).toBe(204);
  expect(await readsOf(app, farmer)).toEqual(before);
  expect(before[0]?.moduleName).toBeTypeOf('string');
  const response = await fetch(new URL(`/api/v8.0/${farmer.id}/export`, app.url), {
    headers: { Authorization: farmer.admin },
  });
  const files = await textsOf(Buffer.from(await response.arrayBuffer()));
  expect(JSON.parse(files['data-reads.json'] ?? '')).toEqual(before);
});

test('reads of an organization that is deleted meanwhile leave no row and no error, and its rows go with it', async ({
  app,
  vendor,
}) => {
  const module = await makeModule(app, vendor);
  const [gone, other] = [await farmerWith(app, module), await farmerWith(app, module)];
  await app.as(module).get('/InstallationsByModuleId');
  await app.api.dataReads.flush();
  await app.as(module).get('/StructuresByModuleId');
  expect((await app.as('operator').delete(`/organizations/${gone.id}`)).status).toBe(204);
  expect(await kindsOf(app, other)).toEqual(['installations', 'structures']);
  expect(await rowsOf(app, gone)).toMatchObject([{ kind: 'installations' }]);
  await clearOrganizations(app.api, 86_400_000);
  expect(await rowsOf(app, gone)).toEqual([]);
});

test('what could not be written is written later; a process keeps a bounded number until then', async ({
  app,
  vendor,
}) => {
  const module = await makeModule(app, vendor);
  const farmer = await farmerWith(app, module);
  const { database, log } = app.api;
  const broken = { raw: () => Promise.reject(new Error('away')) };
  let isBroken = true;
  const breaking = new Proxy(database, {
    get: (target, name) => Reflect.get(isBroken && name === 'raw' ? broken : target, name) as unknown,
  });
  const reads = new DataReadLog(breaking, log);
  const note = (ids: Iterable<string>) =>
    reads.note(GET, { moduleId: module.moduleId, kind: 'changes' }, ids);
  note([farmer.id]);
  await reads.flush();
  expect(await rowsOf(app, farmer)).toEqual([]);
  const many = Array.from(
    { length: MAX_WAITING },
    (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  );
  note(many);
  const late = await farmerWith(app, module);
  note([late.id]);
  isBroken = false;
  await reads.flush();
  expect([await rowsOf(app, farmer), await rowsOf(app, late)].map(({ length }) => length)).toEqual([1, 0]);
  note([late.id]);
  await reads.close();
  expect(await rowsOf(app, late)).toHaveLength(1);
});
