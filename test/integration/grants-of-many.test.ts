import { expect, test } from 'vitest';
import {
  declaresDataArea,
  listGrants,
  listGrantsOfMany,
  type GrantFilter,
} from '../../shared/db/access/module-grants.ts';
import { install, makeModule, putFarms, sampleFarm } from '../support/machine-access.ts';
import { startTestApp } from '../support/test-app.ts';

/** More than are read with those of other requests. */
const MANY = 22;

test('requests that are read together get what each gets alone; one with many organizations is left out', async () => {
  const app = await startTestApp();
  try {
    const { database, catalogue } = app.api;
    const dataAreaId = catalogue.entry('dataAreas', 'FarmOrganization')?.id ?? '';
    const vendor = await app.organization();
    const modules = [
      await makeModule(app, vendor),
      await makeModule(app, vendor),
      await makeModule(app, vendor),
    ];
    const [popular = '', rare = '', unused = ''] = modules.map(({ moduleId }) => moduleId);
    const ids: string[] = [];
    for (let index = 0; index < MANY; index += 1) {
      const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
      await install(app, farmer, popular);
      if (index < 2) {
        await install(app, farmer, rare);
        await putFarms(app, farmer, [sampleFarm()]);
      }
      ids.push(farmer.id);
    }
    ids.sort();
    const all = { dataAreaId, organizationId: null, after: null, limit: null };
    const unknownArea = '00000000-0000-4000-8000-000000000000';
    const filters: GrantFilter[] = [
      { ...all, moduleId: rare },
      { ...all, moduleId: unused },
      { ...all, moduleId: rare, dataAreaId: unknownArea },
      { ...all, moduleId: popular, limit: 1 },
      { ...all, moduleId: popular, limit: 20 },
      { ...all, moduleId: popular, after: ids[9] ?? '', limit: 5 },
      { ...all, moduleId: popular, organizationId: ids[3] ?? '' },
      { ...all, moduleId: popular },
      { ...all, moduleId: popular, limit: 21 },
      { ...all, moduleId: rare, limit: 1 },
    ];
    expect(await declaresDataArea(database, rare, unknownArea)).toBe(false);
    const together = await listGrantsOfMany(database, filters);
    const alone = await Promise.all(filters.map((filter) => listGrants(database, filter, null)));
    const shown = filters.map(({ limit }, index) => {
      const found = together[index] ?? null;
      return found === 'many' || limit === null ? found : found?.slice(0, limit + 1);
    });
    expect(shown).toEqual(alone.map((found, index) => (index === 7 || index === 8 ? 'many' : found)));
    expect(alone.map((found) => found?.length)).toEqual([2, 0, undefined, 2, 21, 6, 1, MANY, MANY, 2]);
  } finally {
    await app.stop();
  }
});
