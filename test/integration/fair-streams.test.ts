import { expect } from 'vitest';
import { install, makeModule } from '../support/machine-access.ts';
import { storeBlocks } from '../support/many-structures.ts';
import { startReading } from '../support/open-answer.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestModule } from '../support/caller.ts';
import type { TestApp } from '../support/test-app.ts';

const test = serviceTest();
const CALL = '/StructuresByModuleId';

/** A module whose structures are too long to be sent at once, and further keys of it. */
async function moduleWithKeys(app: TestApp, keys: number, blocks: number): Promise<readonly TestModule[]> {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await install(app, farmer, module.moduleId);
  await storeBlocks(app, farmer, blocks, 90_000);
  const modules = [module];
  while (modules.length < keys) {
    const registered = await app.as(vendor).post(`/registerApiClient/${module.moduleId}`);
    modules.push({ ...module, key: registered.body.clientSecret as string });
  }
  return modules;
}

test("a vendor's keys together use up half of the streams: another vendor's stream is sent", async ({
  app,
}) => {
  const keys = await moduleWithKeys(app, 4, 100);
  const [other] = await moduleWithKeys(app, 1, 20);
  if (other === undefined) throw new Error('no module');
  const start = ({ moduleId, key }: TestModule) =>
    startReading(new URL(`/api/v8.0/Alerts${CALL}/${moduleId}`, app.url), { 'X-Api-Key': key });
  const open = [];
  for (const key of [...keys, ...keys]) open.push(await start(key));
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
  const [first] = keys;
  if (first === undefined) throw new Error('no key');
  const refused = await app.as(first).get(CALL);
  expect(refused.body).toMatchObject({
    type: '/problems/rate-limited',
    detail:
      'The organization has reached its limit of 4 concurrent long answers. Wait for one to end, or try again in 5 seconds.',
  });
  expect(await (await start(other)).readRest()).toMatchObject({ isWhole: true });
  for (const each of open) each.hangUp();
  await expect.poll(() => app.api.structures.streamSlots.taken()).toBe(0);
});
