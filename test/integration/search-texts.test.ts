import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReleaseMarket, type ReleaseMarket } from '../support/release-market.ts';

let market: ReleaseMarket;

beforeAll(async () => {
  market = await startReleaseMarket();
});

afterAll(() => market.app.stop());

/** The revisions of a module that are searched. */
async function searched(moduleId: string): Promise<number[]> {
  return market.app.api.database('search_texts').where({ moduleId }).orderBy('revision').pluck('revision');
}

test('only revisions that somebody sees are searched: the current one, the ring’s and those that are previewed', async () => {
  const { app, vendor, farmer } = market;
  const moduleId = await market.importNext();
  expect(await searched(moduleId)).toEqual([1]);
  await market.stage(moduleId);
  expect(await searched(moduleId)).toEqual([1]);
  const previewers = `/modules/${moduleId}/revisions/2/previewers`;
  await app.as(vendor).put(previewers, { organizationIds: [farmer.id] });
  expect(await searched(moduleId)).toEqual([1, 2]);
  await app.as(vendor).put(previewers, { organizationIds: [] });
  expect(await searched(moduleId)).toEqual([1]);
  await app.as(vendor).post(`/modules/${moduleId}/revisions/2/release`, { organizationIds: [randomUUID()] });
  expect(await searched(moduleId)).toEqual([1, 2]);
  await market.release(moduleId, 2);
  expect(await searched(moduleId)).toEqual([2]);
  await market.release(moduleId, 1);
  expect(await searched(moduleId)).toEqual([1]);
});

test('a deleted module is not searched, and again once it is imported anew', async () => {
  const { app, vendor } = market;
  const moduleId = await market.importNext();
  await app.as(vendor).delete(`/modules/${moduleId}`);
  expect(await searched(moduleId)).toEqual([]);
  await market.next(moduleId);
  expect(await searched(moduleId)).toEqual([2]);
  await app.as(vendor).delete(`/modules/${moduleId}?purge=true`);
  expect(await searched(moduleId)).toEqual([]);
});
