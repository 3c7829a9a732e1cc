import { expect } from 'vitest';
import { reconcileArchives } from '../../shared/db/imports/archives.ts';
import { archiveBatches } from '../../worker/maintenance/collect-garbage.ts';
import { importSample, importThrice } from '../support/import-sample.ts';
import { install } from '../support/machine-access.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest();

test('of each lost archive, reconcile names vendor, module and revision, and counts who has it installed', async ({
  app,
  vendor,
  farmer,
}) => {
  const { database, storage, deploymentId } = app.api;
  const reconcile = () => reconcileArchives(database, archiveBatches(storage, [deploymentId]));
  const moduleId = await importThrice(app, vendor);
  const whole = await importSample(app, vendor, { descriptor: { scope: 'whole' } });
  const gone = await importSample(app, vendor, { descriptor: { scope: 'gone' } });
  const other = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  for (const each of [farmer, other]) for (const id of [moduleId, whole]) await install(app, each, id);
  expect((await reconcile()).missing).toEqual([]);
  await app.as(vendor).delete(`/modules/${gone}`);
  const all = await database('module_revisions')
    .whereIn('moduleId', [moduleId, gone])
    .select<{ moduleId: string; revision: number; archiveKey: string }[]>([
      'moduleId',
      'revision',
      'archiveKey',
    ]);
  const rows = all.filter((row) => row.moduleId === gone || row.revision > 1);
  for (const { archiveKey } of rows) await storage.remove(archiveKey);
  const { missing } = await reconcile();
  const lost = { organizationId: vendor.id, organizationName: `vendor ${vendor.id}` };
  expect(missing).toHaveLength(3);
  expect(missing).toEqual(
    expect.arrayContaining(
      [
        { moduleId, revision: 2, installations: 0, isModuleDeleted: false },
        { moduleId, revision: 3, installations: 2, isModuleDeleted: false },
        { moduleId: gone, revision: 1, installations: 0, isModuleDeleted: true },
      ].map((each): unknown => expect.objectContaining({ ...lost, ...each })),
    ),
  );
  expect(missing.map(({ archiveKey }) => archiveKey).toSorted()).toEqual(
    rows.map(({ archiveKey }) => archiveKey).toSorted(),
  );
});
