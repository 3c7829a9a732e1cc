import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../shared/db/database.ts';
import { findAvailableModule } from '../../shared/db/modules/available-modules.ts';
import { findInstalledApplications } from '../../shared/db/modules/applications.ts';
import { listOfferedModules } from '../../shared/db/modules/listed-modules.ts';
import { lockOfferedModule } from '../../shared/db/modules/offered-module.ts';
import { findPublicationRecord } from '../../shared/db/modules/publication-records.ts';
import { claimDeliveries } from '../../shared/db/webhooks/deliveries.ts';
import { seedMarket, type SeededMarket } from '../support/seed-market.ts';
import { planStatements } from '../support/statement-plans.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const MODULES = 2_000;
const INSTALLED = 40;

let app: TestApp;
let market: SeededMarket;
let moduleId: string;
let webhookId: string;
let installedIds: readonly string[];

/**
 * A webhook with 20,000 deliveries, of which 50 are due, and 40 modules that each of 500 farmers has installed. The
 * farmers' IDs come before the vendor's: a vendor that came first by chance would be cheap to reach in a merge.
 */
const REST = `
  insert into webhooks (id, organization_id, module_id, url, public_key, sealed_keys, position, created_by)
  values (:webhookId, :vendorId, :moduleId, '', '', '', 0, '');
  insert into webhook_deliveries (webhook_id, event_id, organization_id, position, is_due, due_at)
  select :webhookId, gen_random_uuid(), :vendorId, number, number <= 50,
    case when number > 50 then now() + interval '1 hour' end
  from generate_series(1, 20000) number;
  insert into organizations (id, tenant_id, kind, name, created_by, updated_by)
  select overlay(gen_random_uuid()::text placing '00000000' from 1)::uuid, :tenantId, 'farmer', '', '', ''
  from generate_series(1, 500);
  insert into installations (organization_id, module_id, accepted_data_area_ids, offered_data_area_ids, offered_revision,
    created_by, updated_by)
  select farmer.id, m.id, '{}', '{}', 1, '', '' from organizations farmer, (select id from modules order by id limit ${INSTALLED}) m
  where farmer.kind = 'farmer'`;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  const { database } = app.api;
  market = await seedMarket(database, { modules: MODULES, words: 2, ring: 20 });
  ({ id: moduleId } = await database('modules').orderBy('id').first<{ id: string }>('id'));
  webhookId = randomUUID();
  const values = { ...market, moduleId, webhookId };
  for (const statement of REST.split(';')) await database.raw(statement, values);
  installedIds = await database('modules').orderBy('id').limit(INSTALLED).pluck<string[]>('id');
  await database.raw('vacuum analyze');
}, 300_000);

afterAll(() => app.stop());

const AREAS = { structuresArea: randomUUID(), alertsArea: randomUUID() };
const SLOTS = {
  ...{ free: 50, maxOfOrganization: 50, maxOfWebhook: 50 },
  ...{ ofOrganizations: new Map<string, number>(), ofWebhooks: new Map<string, number>() },
};
const FIRST_PAGE = { limit: 50, after: null };

function search(
  database: Database,
  words: readonly string[],
  vendorId: string | null = null,
): Promise<unknown> {
  const viewer = { id: market.farmerId, tenantId: market.tenantId };
  return listOfferedModules(
    database,
    viewer,
    { words, categoryId: null, cropId: null, vendorId },
    [],
    FIRST_PAGE,
  );
}

/** Frequent statements of farmers, workers and anyone, and the number of rows that each needs. */
const STATEMENTS: readonly (readonly [string, number, (database: Database) => Promise<unknown>])[] = [
  ['a farmer reads the first page of the market', 4 * 60, (database) => search(database, [])],
  [
    'a farmer lists the modules of a vendor who has none',
    0,
    (database) => search(database, [], randomUUID()),
  ],
  ['a farmer searches a word of two modules', 5 * 6, (database) => search(database, ['orchard'])],
  ['a farmer searches a word that no module has', 0, (database) => search(database, ['zzzz'])],
  [
    'a farmer searches a word of every module: their places in the index, and 60 modules',
    1.1 * MODULES + 4 * 60,
    (database) => search(database, ['farm']),
  ],
  ['a farmer reads a module', 30, (database) => findAvailableModule(database, market.farmerId, moduleId)],
  [
    'an installation reads the revision that the farmer sees',
    10,
    (database) => lockOfferedModule(database, market.farmerId, moduleId),
  ],
  [
    'a farmer reads the applications of installed modules',
    4 * INSTALLED,
    (database) => findInstalledApplications(database, market.farmerId, installedIds),
  ],
  ['a worker claims deliveries of a webhook', 5 * 50, (database) => claimDeliveries(database, SLOTS, AREAS)],
  ['anyone reads a public record', 30, (database) => findPublicationRecord(database, moduleId, null)],
];

test.each(STATEMENTS)(
  `%s: reads only what it needs by an index, among ${MODULES} modules and 20,000 deliveries`,
  async (_title, rows, act) => {
    const plans = await planStatements(app.api.database, act);
    expect(plans.length).toBeGreaterThan(0);
    for (const { sql, steps, rowsRead } of plans) {
      // Tables that are empty here, or have a few rows, are read whole.
      const small = 'organizations|webhooks|quarantines|suspensions|revision_previewers|module_files|changes';
      const scans = steps.filter((step) => new RegExp(`^Seq Scan of (?!${small})`).test(step));
      expect(scans, sql).toEqual([]);
      expect(rowsRead, [sql, ...steps].join('\n')).toBeLessThanOrEqual(2 * rows + 2);
    }
  },
);
