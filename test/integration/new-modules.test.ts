import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { findImport } from '../../shared/db/imports/imports.ts';
import { writeRevisions, type RevisionWrite } from '../../shared/db/modules/write-revision.ts';
import { importModule } from '../../worker/import/import-module.ts';
import { expectEndedOnce } from '../support/ended-once.ts';
import { contextOf, openActor, storeImport } from '../support/import-actors.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';
import { WritesAtOnce } from '../support/write-at-once.ts';

const test = serviceTest({ worker: false });

const SIZE = 16;
/** The one of sixteen that ends otherwise. */
const BAD = 5;

const rowOf = (app: TestApp, importId: string) => findImport(app.api.database, null, importId);

/** Stores sixteen packages of new modules, each with a scope: those given, or one that nobody has. */
async function storeSixteen(app: TestApp, vendor: TestOrganization, scopes: Record<number, string> = {}) {
  const stored = Array.from({ length: SIZE }, (_, index) =>
    storeImport(app, vendor, { scope: scopes[index] ?? `scope-${randomUUID()}` }),
  );
  return (await Promise.all(stored)).map(({ importId }) => importId);
}

/** Imports packages whose new modules are written by one statement, before which something happens. */
async function importAtOnce(
  app: TestApp,
  importIds: readonly string[],
  before: () => Promise<unknown> = () => Promise.resolve(),
  change: (write: RevisionWrite) => RevisionWrite = (write) => write,
) {
  const { database } = app.api;
  const sizes: number[] = [];
  const newModules = new WritesAtOnce(importIds.length, async (writes) => {
    sizes.push(writes.length);
    if (sizes.length === 1) await before();
    return writeRevisions(database, writes.map(change));
  });
  const context = { ...contextOf(app, openActor(app)), database, newModules };
  await Promise.allSettled(importIds.map((importId) => importModule(context, { importId, retries: 0 })));
  expect(sizes[0]).toBe(importIds.length);
}

const SUCCEEDED = { status: 'succeeded', outcome: 'created' };

interface Case {
  /** The scope of the bad one. */
  readonly scope?: (app: TestApp, vendor: TestOrganization) => Promise<string>;
  readonly atFirst?: (app: TestApp, badId: string) => Promise<unknown>;
  readonly before?: (app: TestApp, badId: string) => Promise<unknown>;
  readonly change?: (write: RevisionWrite) => RevisionWrite;
  readonly ends: object;
}

const CASES: readonly (readonly [string, Case])[] = [
  [
    'another attempt has taken its import over',
    {
      before: (app, badId) =>
        app.api.database('imports').where({ id: badId }).update({ runId: randomUUID() }),
      ends: { status: 'running' },
    },
  ],
  [
    'the authority for it is withdrawn',
    {
      atFirst: (app, badId) =>
        app.api
          .database('imports')
          .where({ id: badId })
          .update({ authority: JSON.stringify({ kind: 'publisher', publisherId: randomUUID() }) }),
      ends: { status: 'rejected', errors: [{ code: 'auth-withdrawn' }] },
    },
  ],
  [
    'another organization has its scope',
    {
      async scope(app, { tenantId }) {
        const scope = `scope-${randomUUID()}`;
        const other = await app.organization({ tenantId });
        const { importId } = await storeImport(app, other, { scope });
        await importModule(contextOf(app, openActor(app)), { importId, retries: 0 });
        expect(await rowOf(app, importId)).toMatchObject(SUCCEEDED);
        return scope;
      },
      ends: { status: 'rejected', errors: [{ code: 'registry-scope-taken' }] },
    },
  ],
  [
    'the database refuses it',
    {
      change: (write) => ({ ...write, row: write.row.replace('"status":"succeeded"', '"status":"none"') }),
      ends: { status: 'running', failure: { step: 'writing', attempts: 1 } },
    },
  ],
];

test.for(CASES)(
  'of sixteen new modules that one statement would write one is not written, and the others are: %s',
  async ([, { scope, atFirst, before, change, ends }], { app, vendor }) => {
    const scopes = scope === undefined ? {} : { [BAD]: await scope(app, vendor) };
    const importIds = await storeSixteen(app, vendor, scopes);
    const badId = importIds[BAD] ?? '';
    await atFirst?.(app, badId);
    await importAtOnce(
      app,
      importIds,
      () => before?.(app, badId) ?? Promise.resolve(),
      (write) => (write.next.importId === badId ? (change?.(write) ?? write) : write),
    );
    await expectEndedOnce(app, importIds.toSpliced(BAD, 1));
    expect(await rowOf(app, badId)).toMatchObject(ends);
    expect(await app.api.database('module_revisions').where({ importId: badId })).toEqual([]);
  },
);

test.for(['nobody has', 'their organization has registered'])(
  'of two new modules with one scope that one statement would write one is written: %s',
  async (holder, { app, vendor }) => {
    const { database } = app.api;
    const scope = `scope-${randomUUID()}`;
    if (holder !== 'nobody has')
      await database('scopes').insert({
        scope,
        tenantId: vendor.tenantId,
        organizationId: vendor.id,
        moduleId: null,
      });
    const importIds = await storeSixteen(app, vendor, { 2: scope, [BAD]: scope });
    await importAtOnce(app, importIds);
    const pair = await Promise.all([2, BAD].map((index) => rowOf(app, importIds[index] ?? '')));
    expect(pair.map((row) => row?.status).toSorted()).toEqual(['rejected', 'succeeded']);
    expect(pair.find((row) => row?.status === 'rejected')?.errors).toMatchObject([
      { code: 'registry-scope-taken' },
    ]);
    const { moduleId } = pair.find((row) => row?.status === 'succeeded') ?? { moduleId: '' };
    expect(await database('scopes').where({ scope })).toMatchObject([{ moduleId }]);
    await expectEndedOnce(
      app,
      importIds.filter((_, index) => index !== 2 && index !== BAD),
    );
  },
);
