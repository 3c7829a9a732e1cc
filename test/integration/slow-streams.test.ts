import { expect } from 'vitest';
import type { TestModule } from '../support/caller.ts';
import { install, makeModule, putFarms, sampleFarm } from '../support/machine-access.ts';
import { storeBlocks, type ManyStructures } from '../support/many-structures.ts';
import { startReading, type OpenAnswer } from '../support/open-answer.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest({
  settings: { MAX_REQUESTS_PER_MINUTE_PER_KEY: '0' },
  config: { streams: { snapshotSeconds: 1 } },
});

/** More than the buffers of a connection take. */
const BLOCKS = 3_000;
const NAME_LENGTH = 9_000;

interface LongAnswer extends ManyStructures {
  readonly module: TestModule;
  readonly farmer: TestOrganization;
}

/** A module whose answer is far longer than what its connection takes while its client does not read. */
async function longAnswer(app: TestApp, blocks = BLOCKS): Promise<LongAnswer> {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await install(app, farmer, module.moduleId);
  return { module, farmer, ...(await storeBlocks(app, farmer, blocks, NAME_LENGTH)) };
}

async function read(app: TestApp, { moduleId, key }: TestModule): Promise<OpenAnswer> {
  const path = `/api/v8.0/Alerts/StructuresByModuleId/${moduleId}`;
  return startReading(new URL(path, app.url), { 'X-Api-Key': key });
}

const blockIdsOf = (text: string) =>
  (
    JSON.parse(text) as {
      organizations: { farms: { fields: { blocks: { id: string }[] }[] }[] }[];
    }
  ).organizations[0]?.farms[0]?.fields[0]?.blocks.map(({ id }) => id);

/** Sessions of the structure reader that keep a state of the database alive, or are used at all. */
async function heldSessions(app: TestApp): Promise<number> {
  const { rows } = await app.api.database.raw<{ rows: [{ held: number }] }>(
    `select count(*) as held from pg_stat_activity
     where datname = current_database() and application_name = 'structure-reader'
       and (xact_start is not null or backend_xmin is not null)`,
  );
  return rows[0].held + app.api.structures.reader.poolUse().used;
}

test('while clients of one vendor read slowly, no transaction, snapshot or connection is held for them, and another vendor is answered', async ({
  app,
}) => {
  const { module } = await longAnswer(app);
  const other = await longAnswer(app, BLOCKS / 10);
  const keys = [module];
  for (let count = 1; count < 4; count += 1) {
    const { body } = await app.as(module.vendor).post(`/registerApiClient/${module.moduleId}`);
    keys.push({ ...module, key: body.clientSecret as string });
  }
  const readers: OpenAnswer[] = [];
  for (const key of [...keys, ...keys]) readers.push(await read(app, key));
  const slow = readers.filter(({ status }) => status === 200);
  expect(slow.length).toBeGreaterThan(0);
  for (const reader of slow) reader.readSlowly(2_048, 5_000);
  await expect.poll(() => heldSessions(app)).toBe(0);
  const answered = await read(app, other.module);
  expect(answered.status).toBe(200);
  expect((await answered.readRest()).isWhole).toBe(true);
  expect(slow.filter((reader) => reader.hasEnded())).toEqual([]);
  for (const reader of slow) reader.hangUp();
});

test('a client that pauses, and reads at the minimum rate on the whole, gets every structure once and in order', async ({
  app,
}) => {
  const { module, blockIds } = await longAnswer(app);
  const reader = await read(app, module);
  await expect.poll(() => heldSessions(app)).toBe(0);
  const { text, isWhole } = await reader.readRest();
  expect(isWhole).toBe(true);
  expect(blockIdsOf(text)).toEqual(blockIds);
});

test('an organization that changes while a slow client reads it is broken off, never a mixture', async ({
  app,
}) => {
  const { module, farmer } = await longAnswer(app);
  const reader = await read(app, module);
  await reader.readUntil('"blocks":[');
  await expect.poll(() => heldSessions(app)).toBe(0);
  await putFarms(app, farmer, [sampleFarm()]);
  const { isWhole } = await reader.readRest();
  expect(isWhole).toBe(false);
  await expect.poll(() => app.api.structures.streamSlots.taken()).toBe(0);
});

test('the pages in which structures are read are as small as the largest structure requires', async ({
  app,
}) => {
  const vendor = await app.organization();
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const { blockIds } = await storeBlocks(app, farmer, 20, 300_000);
  const sizes: number[] = [];
  const ids: string[] = [];
  for await (const rows of app.api.structures.reader.pages(
    { organizationId: farmer.id, structures: 22 },
    'nested',
  )) {
    sizes.push(rows.reduce((sum, { json }) => sum + json.length, 0));
    for (const { kind, json } of rows)
      if (kind === 'block') ids.push((JSON.parse(json) as { id: string }).id);
  }
  expect(Math.max(...sizes)).toBeLessThan(2.1 * 1024 * 1024);
  expect(ids).toEqual(blockIds);
});
