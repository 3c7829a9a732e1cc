import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listAlerts } from '../../shared/db/alerts/alerts.ts';
import { openDatabase, type Database } from '../../shared/db/database.ts';
import { listDataReads } from '../../shared/db/access/data-reads.ts';
import { listKeyRequests } from '../../shared/db/access/key-requests.ts';
import { deleteEndedRows } from '../../shared/db/ended-rows.ts';
import { archivesOf, findKnownArchives } from '../../shared/db/imports/archives.ts';
import {
  endImport,
  startImports,
  type RejectedImport,
  type RunKey,
} from '../../shared/db/imports/attempts.ts';
import { findChangedImports, IMPORTS_CHANNEL, listImports } from '../../shared/db/imports/imports.ts';
import { freeExpiredArchives } from '../../shared/db/imports/freed-archives.ts';
import { databaseTime, dropOldImports } from '../../shared/db/imports/retention.ts';
import { countStaleImports, findStaleImports } from '../../shared/db/imports/unfinished-imports.ts';
import { readImportHours } from '../../shared/db/statistics/import-hours.ts';
import { readModuleDays } from '../../shared/db/statistics/module-statistics.ts';
import { searchModules } from '../../shared/db/modules/quarantine.ts';
import type { RunningImport } from '../../shared/db/modules/registry-state.ts';
import { writeRevisions } from '../../shared/db/modules/write-revision.ts';
import { listModuleReviews, listReports, listReviews } from '../../shared/db/modules/reviews.ts';
import { endBrowser } from '../../shared/db/notifications/push-subscriptions.ts';
import { queryRows } from '../../shared/db/statement.ts';
import { fillAccess, fillAlerts, fillImports, fillModules } from '../support/fill-tables.ts';
import { storeGroup } from '../support/import-actors.ts';
import { newModuleWrite } from '../support/new-module-write.ts';
import { planStatements } from '../support/statement-plans.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;
let farmer: TestOrganization;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  vendor = await app.organization();
  farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await fillImports(app.api.database, vendor, archivesOf(app.api.deploymentId));
  await fillAlerts(app.api.database, farmer);
  await fillAccess(app.api.database, vendor);
  await fillModules(app.api.database, await app.organization());
}, 300_000);

afterAll(() => app.stop());

const FIRST_PAGE = { limit: 50, after: null };
/** As in the filled tables. */
const ENDED_DAYS = {
  auditDays: 365,
  alertDays: 90,
  apiKeyDays: 90,
  statisticsDays: 400,
  changeDays: 30,
  webhookAttemptDays: 90,
  consentDays: 3_650,
};

/** Keys of revisions, of imports, and of nothing, as a page of the storage has them. */
async function someKeys(database: Database): Promise<string[]> {
  const { rows } = await database.raw<{ rows: { key: string }[] }>(
    `(select archive_key as key from module_revisions limit 250)
     union all (select archive_key from imports where archive_key is not null limit 200)
     union all select :prefix || gen_random_uuid() from generate_series(1, 50)`,
    { prefix: archivesOf(app.api.deploymentId) },
  );
  return rows.map(({ key }) => key);
}

/** Frequent statements, and the number of rows that each needs. */
const STATEMENTS: readonly (readonly [string, number, (database: Database) => Promise<unknown>])[] = [
  ['collection frees expired archives', 2_500, (database) => freeExpiredArchives(database, 7)],
  ['collection drops old imports', 1_300, (database) => dropOldImports(database, 365)],
  ['collection drops what has ended', 1_200, (database) => deleteEndedRows(database, ENDED_DAYS)],
  [
    'collection looks up a page of 500 objects',
    500,
    async (database) => findKnownArchives(database, await keysOfPage),
  ],
  ['a sign-out ends the notifications of its browser', 1, (database) => endBrowser(database, '700')],
  [
    'a vendor reads the numbers of 30 days',
    60,
    async (database) => readModuleDays(database, await rareModule, 30),
  ],
  ...(
    [
      ['the requests', 51, false, false],
      ['the requests of a client', 24, true, false],
      ['the failed requests', 30, false, true],
    ] as const
  ).map(
    ([what, rows, isOfClient, isFailed]) =>
      [
        `a vendor lists ${what} with its keys`,
        rows,
        async (database: Database) => {
          const moduleId = await commonModule;
          // As in the filled table, which has the ID of the module as that of a client.
          const filter = { clientId: isOfClient ? moduleId : null, isFailed };
          return listKeyRequests(database, { organizationId: vendor.id, moduleId }, filter, FIRST_PAGE);
        },
      ] as const,
  ),
  ['operators read the imports of 24 hours', 24, (database) => readImportHours(database, 24)],
  ['the sweep counts what is stale', 1_000, (database) => countStaleImports(database, 0, 1_000)],
  [
    'the sweep reads a page of queued imports',
    1_000,
    async (database) => findStaleImports(database, 'queued', await databaseTime(database), null, 1_000),
  ],
  [
    'the sweep reads a page of running imports',
    1_000,
    async (database) => findStaleImports(database, 'running', await databaseTime(database), null, 1_000),
  ],
  [
    'an organization lists its failed imports',
    51,
    (database) => listImports(database, vendor.id, FIRST_PAGE, { status: 'failed', moduleId: null }),
  ],
  [
    'operators list all failed imports',
    51,
    (database) => listImports(database, null, FIRST_PAGE, { status: 'failed', moduleId: null }),
  ],
  ...[false, true].map(
    (isDecided) =>
      [
        `operators list reviews that are ${isDecided ? 'decided' : 'open'}`,
        // For each of the 51, its vendor among the few modules.
        1_200,
        async (database: Database) => listReviews(database, isDecided, FIRST_PAGE),
      ] as const,
  ),
  [
    'a vendor lists the decisions about its rare module',
    12,
    async (database) =>
      listModuleReviews(database, { organizationId: vendor.id, moduleId: await rareModule }, FIRST_PAGE),
  ],
  ...(
    [
      ['of all modules', 51, null],
      // And those that were never released.
      ['that a rare word names', 12 + 12, ['rare']],
      ['that a common word names', 12_000, ['common']],
    ] as const
  ).map(
    ([which, rows, words]) =>
      [
        `operators read the newest ${which}`,
        // Each with its revision and its vendor.
        3 * rows,
        async (database: Database) =>
          searchModules(database, { id: null, words, isQuarantined: false }, FIRST_PAGE),
      ] as const,
  ),
  ...(
    [
      ['of a module with 12,000', 51, () => vendor],
      ['of which there are none, of a module with 12,000', 1, () => farmer],
    ] as const
  ).map(
    ([which, rows, organization]) =>
      [
        `an organization lists its reports ${which}`,
        rows,
        async (database: Database) =>
          listReports(
            database,
            { organizationId: organization().id, moduleId: await commonModule },
            FIRST_PAGE,
          ),
      ] as const,
  ),
  ...([null, 'its rare module'] as const).map(
    (module) =>
      [
        `a farmer lists what was read by ${String(module)}`,
        module === null ? 51 : 12,
        async (database: Database) =>
          listDataReads(database, vendor.id, module === null ? null : await rareModule, FIRST_PAGE),
      ] as const,
  ),
  ...([null, 'firing', 'resolved'] as const).map(
    (status) =>
      [
        `a farmer lists the critical alerts, of which there are none, status ${String(status)}`,
        0,
        async (database: Database) =>
          listAlerts(database, farmer.id, { status, severity: 'critical', moduleId: null }, FIRST_PAGE),
      ] as const,
  ),
  ...([null, 'firing', 'resolved'] as const).flatMap((status) =>
    ([null, 'its rare module'] as const).map(
      (module) =>
        [
          `a farmer lists alerts, status ${String(status)}, of ${String(module)}`,
          module === null ? 51 : 20,
          async (database: Database) =>
            listAlerts(
              database,
              farmer.id,
              { status, severity: null, moduleId: module === null ? null : await rareModule },
              FIRST_PAGE,
            ),
        ] as const,
    ),
  ),
];

let keysOfPage: Promise<string[]>;
let rareModule: Promise<string>;
let commonModule: Promise<string>;
beforeAll(() => {
  keysOfPage = someKeys(app.api.database);
  rareModule = findModule(app.api.database, 'rare');
  commonModule = findModule(app.api.database, 'common');
});

async function findModule(database: Database, scope: string): Promise<string> {
  const row = await database('scopes').where({ scope }).first<{ moduleId: string }>('moduleId');
  return row.moduleId;
}

test.each(STATEMENTS)(
  '%s: reads only what it needs by an index, among 32,800 imports, 12,000 alerts and 12,000 modules',
  async (_title, rows, act) => {
    const plans = await planStatements(app.api.database, act);
    expect(plans.length).toBeGreaterThan(0);
    for (const { sql, steps, rowsRead } of plans) {
      expect(
        steps.filter((step) => /^Seq Scan of (?!modules|change_horizon)/.test(step)),
        sql,
      ).toEqual([]);
      // Each row is found once by an index, and once by its address where it is changed; a merge reads one row ahead.
      expect(rowsRead, sql).toBeLessThanOrEqual(2 * rows + 2);
    }
  },
);

/** Starts imports. */
async function startSome(size: number) {
  const { importIds } = await storeGroup(app, vendor, size);
  const runs = await startImports(
    app.api.database,
    importIds.map((importId) => ({ importId, retries: 0, runId: randomUUID() })),
  );
  return runs.flatMap((run) => run ?? []);
}

const REJECTED: RejectedImport = {
  status: 'rejected',
  namedModuleId: null,
  lists: { errors: [], warnings: [], errorsTotal: 0, unlistedErrors: [] },
};

/** The rows of tables that a transaction has read, by a sequential scan and by indexes. */
const ROWS_READ = `
  select sum(seq_tup_read)::int as in_sequence, sum(idx_tup_fetch)::int as by_index from pg_stat_xact_user_tables
  where relname in ('imports', 'modules', 'module_revisions', 'scopes', 'search_texts')`;

async function rowsRead(transaction: Database) {
  const { rows } = await transaction.raw<{ rows: { inSequence: number; byIndex: number }[] }>(ROWS_READ);
  return { inSequence: rows[0]?.inSequence ?? 0, byIndex: rows[0]?.byIndex ?? 0 };
}

test.each([
  [
    'the end of an import',
    1,
    async (database: Database, [run]: readonly RunningImport[]) => [
      await endImport(database, run as RunKey, REJECTED),
    ],
  ],
  ['a new module', 1, writeNew],
  ['sixteen new modules', 16, writeNew],
] as const)('%s: is written without a look at the rows of others', async (_what, count, act) => {
  const runs = await startSome(count);
  const transaction = await app.api.database.transaction();
  try {
    // The counts are also of what the connection has done shortly before.
    const before = await rowsRead(transaction);
    expect(await act(transaction, runs)).toEqual(runs.map(() => true));
    const after = await rowsRead(transaction);
    expect(after.inSequence - before.inSequence).toBe(0);
    // Of each its import, and what the foreign keys name.
    expect(after.byIndex - before.byIndex).toBeLessThanOrEqual(10 * count);
  } finally {
    await transaction.rollback();
  }
});

async function writeNew(database: Database, runs: readonly RunningImport[]) {
  return writeRevisions(
    database,
    runs.map((run) => newModuleWrite(run)),
  );
}

const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

/** Statements for one import or many, which run for each import. */
const SHARED: Readonly<Record<string, (database: Database, count: number) => Promise<unknown>>> = {
  'the read of imports that someone waits for': async (database, count) =>
    findChangedImports(
      database,
      ids(count).map((id) => ({ id, seenVersion: null })),
    ),
  'the start of attempts': async (database, count) =>
    startImports(
      database,
      ids(count).map((importId) => ({ importId, retries: 0, runId: randomUUID() })),
    ),
  'the notification of ends': async (database, count) =>
    queryRows(database, IMPORTS_CHANNEL.notify, { ids: ids(count) }),
};

test.each(Object.entries(SHARED))('%s has one plan, whether it is for one or many', async (_what, run) => {
  const database = openDatabase({ url: app.environment['DATABASE_URL'] ?? '', poolSize: 1 });
  onTestFinished(() => database.destroy());
  // PostgreSQL plans a statement five times before it may keep one plan.
  for (const count of [1, 1, 1, 1, 1, 1, 1, 100]) await run(database, count);
  const plans = await database('pg_prepared_statements').select('generic_plans', 'custom_plans');
  expect(plans).toMatchObject([{ genericPlans: 3, customPlans: 5 }]);
});
