import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRelease } from '../../shared/db/modules/releases.ts';
import { areaIds } from '../support/machine-access.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import { recordedChanges } from '../support/recorded-changes.ts';
import { startReleaseMarket, type ReleaseMarket } from '../support/release-market.ts';

let market: ReleaseMarket;
let narrow: { dataAreaIds: readonly string[] };
let wide: { dataAreaIds: readonly string[] };

beforeAll(async () => {
  market = await startReleaseMarket();
  narrow = { dataAreaIds: areaIds(market.app, ['FarmOrganization']) };
  wide = { dataAreaIds: areaIds(market.app, ['FarmOrganization', 'FarmOrganizationAlerts']) };
});

afterAll(() => market.app.stop());

/** A module of one data area that both farmers have installed. */
async function installedModule(): Promise<string> {
  const moduleId = await market.importNext(narrow);
  for (const farmer of [market.farmer, market.other]) await install(farmer, moduleId);
  return moduleId;
}

const install = (farmer: ReleaseMarket['farmer'], moduleId: string, body?: object) =>
  market.app.as(farmer).put(`/installations/${moduleId}`, body);

/** Each change of the type, as the name of the farmer and the revision. */
async function pendingOf(moduleId: string): Promise<readonly string[]> {
  const names = new Map([
    [market.farmer.id, 'farmer'],
    [market.other.id, 'other'],
  ]);
  return (await recordedChanges(market.app, moduleId))
    .filter(({ type }) => type === 'consent.pending')
    .map(
      ({ organizationId, subject }) => `${names.get(organizationId ?? '') ?? '?'} ${subject.revision ?? 0}`,
    )
    .toSorted();
}

test('an import that is released with wider data areas is reported once for each installation, also after the next revision', async () => {
  const moduleId = await installedModule();
  await market.next(moduleId, narrow);
  expect(await pendingOf(moduleId)).toEqual([]);
  await market.next(moduleId, wide);
  expect(await pendingOf(moduleId)).toEqual(['farmer 3', 'other 3']);
  await market.next(moduleId, wide);
  expect(await pendingOf(moduleId)).toEqual(['farmer 3', 'other 3']);
});

test('a staged revision is reported to those who preview it, to a ring, and to the rest when it is released to everyone', async () => {
  const { farmer, other } = market;
  const moduleId = await installedModule();
  await market.stage(moduleId, wide);
  expect(await pendingOf(moduleId)).toEqual([]);
  await market.preview(moduleId, 2, [farmer.id]);
  expect(await pendingOf(moduleId)).toEqual(['farmer 2']);
  await market.release(moduleId, 2, { organizationIds: [farmer.id] });
  expect(await pendingOf(moduleId)).toEqual(['farmer 2']);
  await market.release(moduleId, 2);
  expect(await pendingOf(moduleId)).toEqual(['farmer 2', 'other 2']);
  expect((await market.app.as(other).get(`/installations/${moduleId}`)).body).toMatchObject({
    consentPending: true,
  });
});

test('who has consented is not reported, and who has not is reported again after a roll-back', async () => {
  const { farmer } = market;
  const moduleId = await installedModule();
  await market.next(moduleId, wide);
  await install(farmer, moduleId);
  await market.release(moduleId, 1);
  await market.release(moduleId, 2);
  expect(await pendingOf(moduleId)).toEqual(['farmer 2', 'other 2', 'other 2']);
});

test('a consent at the same time as the release is either to the new revision or pending', async () => {
  const moduleId = await installedModule();
  for (let revision = 2; revision <= 7; revision += 1) {
    const areas = revision % 2 === 0 ? wide : narrow;
    await Promise.all([market.next(moduleId, areas), install(market.farmer, moduleId)]);
    const { body } = await market.app.as(market.farmer).get(`/installations/${moduleId}`);
    if (body.consentPending === true) expect(await pendingOf(moduleId)).toContain(`farmer ${revision}`);
  }
});

/** Releases a revision as if the process ended before it checked what depends on the module. */
const releaseUnchecked = (moduleId: string, revision: number) =>
  market.app.api.database.transaction((transaction) =>
    writeRelease(transaction, moduleId, revision, null, FIXTURE_ACTOR),
  );

test('a consent to fewer data areas is pending at the next release, also if none was checked before it', async () => {
  const moduleId = await installedModule();
  await market.next(moduleId, wide);
  await market.stage(moduleId, wide);
  await releaseUnchecked(moduleId, 1);
  await install(market.farmer, moduleId);
  await releaseUnchecked(moduleId, 3);
  await expect.poll(() => pendingOf(moduleId)).toContain('farmer 3');
});
