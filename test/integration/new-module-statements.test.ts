import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { openDatabase } from '../../shared/db/database.ts';
import { findImport } from '../../shared/db/imports/imports.ts';
import { startImports } from '../../shared/db/imports/attempts.ts';
import { writeRevisions, type RevisionWrite } from '../../shared/db/modules/write-revision.ts';
import { NewModules } from '../../shared/registration/new-modules.ts';
import type { AlertRules } from '../../shared/package/alert-rules/alert-rules.ts';
import type { PackageFile } from '../../shared/package/package-report.ts';
import { holdLock } from '../support/held-lock.ts';
import { storeGroup } from '../support/import-actors.ts';
import { newModuleWrite } from '../support/new-module-write.ts';
import { recordedChanges } from '../support/recorded-changes.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest({ worker: false });

type Changes = Parameters<typeof newModuleWrite>[1];

/** The one of the sixteen that ends otherwise. */
const ODD = 5;

/** Imports that run, and what they write. */
async function runningWrites(
  app: TestApp,
  vendor: TestOrganization,
  { size = 16, changes = () => ({}) }: { size?: number; changes?: (index: number) => Changes } = {},
): Promise<readonly RevisionWrite[]> {
  const { importIds } = await storeGroup(app, vendor, size);
  const attempts = importIds.map((importId) => ({ importId, retries: 0, runId: randomUUID() }));
  const runs = await startImports(app.api.database, attempts);
  return runs.flatMap((run, index) => (run === null ? [] : newModuleWrite(run, changes(index))));
}

/** As a worker has them; the sizes of its statements are recorded, but for those that send a write again after a lock. */
function newModulesOf(app: TestApp) {
  const database = openDatabase({ url: app.environment['DATABASE_URL'] ?? '', poolSize: 40 });
  onTestFinished(() => database.destroy());
  const sizes: number[] = [];
  const sent = new Set<RevisionWrite>();
  const newModules = new NewModules(async (writes) => {
    if (writes.some((write) => !sent.has(write))) sizes.push(writes.length);
    for (const write of writes) sent.add(write);
    return writeRevisions(database, writes);
  });
  return { newModules, sizes };
}

/** Adds writes while a statement runs, so that one statement has all but the first. */
async function addTogether(app: TestApp, vendor: TestOrganization, writes: readonly RevisionWrite[]) {
  const { newModules, sizes } = newModulesOf(app);
  const [first] = await runningWrites(app, vendor, { size: 1 });
  const isFirstWritten = newModules.add(first!);
  // On a slow machine they are sent, and one may be refused, while the first is still written.
  const ends = endsOf(writes.map((write) => newModules.add(write)));
  expect(await isFirstWritten).toBe(true);
  return { ends, sizes };
}

const endsOf = async (results: readonly Promise<boolean>[]) =>
  (await Promise.allSettled(results)).map((each) => (each.status === 'fulfilled' ? each.value : 'refused'));

/** Which of the writes are in the registry, each with its files and texts, and its events in order. */
async function registered(app: TestApp, writes: readonly RevisionWrite[]) {
  const { database } = app.api;
  return Promise.all(
    writes.map(async ({ next, files }) => {
      const { moduleId, importId, descriptor } = next;
      const row = await findImport(database, null, importId);
      if (row?.status !== 'succeeded') {
        expect(await database('modules').where({ id: moduleId })).toEqual([]);
        return false;
      }
      expect(row).toMatchObject({ moduleId, revision: 1, archiveKey: null });
      expect(await database('scopes').where({ moduleId }).pluck('scope')).toEqual([descriptor.scope]);
      expect(await database('module_revisions').where({ moduleId })).toMatchObject([
        { importId, archiveKey: next.archiveKey, descriptor: { scope: descriptor.scope } },
      ]);
      expect((await database('module_files').where({ moduleId }).pluck('path')).toSorted()).toEqual(
        files.map(({ path }) => path).toSorted(),
      );
      const search = await database('search_texts').where({ moduleId }).select('names');
      expect(search).toHaveLength(next.isReleased ? 1 : 0);
      const changes = await recordedChanges(app, moduleId);
      expect(changes).toMatchObject([
        { type: next.isReleased ? 'revision.released' : 'revision.staged', subject: { revision: 1 } },
        { type: 'import.ended', subject: { importId, status: 'succeeded' } },
      ]);
      return true;
    }),
  );
}

const fileOf = (path: string): PackageFile => ({
  ...{ path, mediaType: 'text/plain', sizeBytes: 1, sha256: 'ab'.repeat(32), crc32: 1, method: 'stored' },
  ...{ dataOffset: 1, packedBytes: 1, packedCrc32: 1 },
});

test('new modules that end together are written by one statement, each with its own files, texts and events', async ({
  app,
  vendor,
}) => {
  const writes = await runningWrites(app, vendor, {
    changes: (index) => ({
      files: [fileOf(`a${index}`), fileOf(`b${index}`)],
      next: { isReleased: index !== ODD },
    }),
  });
  const { ends, sizes } = await addTogether(app, vendor, writes);
  expect(await ends).toEqual(writes.map(() => true));
  expect(sizes).toEqual([1, 16]);
  expect(await registered(app, writes)).toEqual(writes.map(() => true));
});

test.for([
  ['it lacks a value', { next: { archiveKey: null as unknown as string } }],
  ['its text cannot be stored', { scope: 'a\u0000b' }],
] as const)(
  'of sixteen new modules one that is refused fails alone: %s',
  async ([, changes], { app, vendor }) => {
    const writes = await runningWrites(app, vendor, { changes: (index) => (index === ODD ? changes : {}) });
    const { ends } = await addTogether(app, vendor, writes);
    const expected = writes.map(() => true);
    expect(await ends).toEqual((expected as unknown[]).with(ODD, 'refused'));
    expect(await registered(app, writes)).toEqual(expected.with(ODD, false));
  },
);

test.for([
  ['its import', 'select 1 from imports where id = $1 for update'],
  [
    'its scope',
    `insert into scopes (tenant_id, scope, organization_id)
     select tenant_id, id::text, organization_id from imports where id = $1`,
  ],
] as const)(
  'a new module that waits for a lock delays none that ends with it, nor those after: %s',
  async ([, lock], { app, vendor }) => {
    const { newModules } = newModulesOf(app);
    const writes = await runningWrites(app, vendor, { size: 1 });
    const { importIds } = await storeGroup(app, vendor, 3);
    const runs = await startImports(
      app.api.database,
      importIds.map((importId) => ({ importId, retries: 0, runId: randomUUID() })),
    );
    const [locked, beside, after] = runs.map((run) => newModuleWrite(run!, { scope: run!.id }));
    const held = await holdLock(app, lock, [locked!.next.importId]);
    const first = newModules.add(writes[0]!);
    const late = newModules.add(locked!);
    expect([await first, await newModules.add(beside!), await newModules.add(after!)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(await registered(app, [locked!])).toEqual([false]);
    await held.release();
    expect(await late).toBe(true);
    expect(await registered(app, [...writes, locked!, beside!, after!])).toEqual([true, true, true, true]);
  },
);

test('new modules with very many files are written by themselves, and those beside them too', async ({
  app,
  vendor,
}) => {
  const sizesOfFiles = [1, 2_500, 999, 1, 1, 0];
  const writes = await runningWrites(app, vendor, {
    size: sizesOfFiles.length,
    changes: (index) => ({
      files: Array.from({ length: sizesOfFiles[index]! }, (_, each) => fileOf(`${index}/${each}`)),
    }),
  });
  const { ends, sizes } = await addTogether(app, vendor, writes);
  expect(await ends).toEqual(writes.map(() => true));
  expect(sizes).toEqual([1, 1, 1, 2, 2]);
  expect(await registered(app, writes)).toEqual(writes.map(() => true));
});

test('alert rules keep the order of their members and the digits of their numbers, and absent parts are absent', async ({
  app,
  vendor,
}) => {
  const alertRules = {
    b: { '10': 1.7976931348623157e308, a: 0.1 },
    aa: 5e-324,
    a: 'é\ud83d\ude00',
  } as unknown as AlertRules;
  const writes = await runningWrites(app, vendor, {
    size: 2,
    changes: (index) => (index === 0 ? { next: { alertRules } } : {}),
  });
  const { ends } = await addTogether(app, vendor, writes);
  expect(await ends).toEqual([true, true]);
  const texts = await Promise.all(
    writes.map(({ next }) =>
      app.api
        .database('module_revisions')
        .where({ moduleId: next.moduleId })
        .first(app.api.database.raw('alert_rules::text as rules, roles')),
    ),
  );
  expect(texts).toEqual([
    { rules: JSON.stringify(alertRules), roles: null },
    { rules: null, roles: null },
  ]);
});

test('the new modules of an organization wait for no lock that those of another one meet', async ({
  app,
  vendor,
}) => {
  const other = await app.organization({ tenantId: vendor.tenantId });
  const { newModules, sizes } = newModulesOf(app);
  const [locked] = await runningWrites(app, vendor, { size: 1 });
  const others = await runningWrites(app, other, { size: 2 });
  const held = await holdLock(app, 'select 1 from imports where id = $1 for update', [locked!.next.importId]);
  const late = newModules.add(locked!);
  expect(await Promise.all(others.map((write) => newModules.add(write)))).toEqual([true, true]);
  expect(sizes).toEqual([1, 1, 1]);
  await held.release();
  expect(await late).toBe(true);
});
