import { expect } from 'vitest';
import type { Database } from '../../shared/db/database.ts';
import { CI_AUDIENCE, CI_CLAIMS } from '../support/ci-issuer.ts';
import { makeAlertSource } from '../support/machine-access.ts';
import { LOOPBACK_ISSUERS } from '../support/publishing-module.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import { LOOPBACK_WEBHOOKS, makeWebhook } from '../support/webhook-module.ts';

const test = serviceTest({ settings: { ...LOOPBACK_ISSUERS, ...LOOPBACK_WEBHOOKS } });

/** The tables whose rows end when their module is deleted. */
const ENDED = ['installations', 'revision_previewers', 'search_texts', 'trusted_publishers', 'webhooks'];

/** The other tables that name modules: why their rows stay, or how they end. */
const KEPT: Readonly<Record<string, string>> = {
  alert_rules: 'the farmer keeps them for the module’s return',
  alerts: 'what a farmer was notified of',
  api_keys: 'revoked, and deleted after their time',
  audit_log: 'who did what',
  changes: 'back ends read them until their time',
  consents: 'what a farmer agreed to',
  data_reads: 'what was read of a farmer',
  freed_archives: 'until a collection',
  imports: 'the vendor’s history',
  key_requests: 'what a key did',
  module_days: 'statistics',
  module_files: 'of a revision',
  module_revisions: 'until `purge`, or a collection after their time',
  modules_behind: 'until the next run of its task',
  outbox: 'until the next run of the sequencer',
  publisher_tokens: 'with their publisher',
  quarantines: 'operators end them',
  reviews: 'first releases end; reports are for operators',
  scopes: 'their name stays the organization’s',
};

async function tablesNamingModules(database: Database): Promise<readonly string[]> {
  return database('information_schema.columns as c')
    .join('information_schema.tables as t', 't.table_name', 'c.table_name')
    .where({ 'c.tableSchema': 'public', 't.tableSchema': 'public', 't.tableType': 'BASE TABLE' })
    .where({ 'c.columnName': 'module_id' })
    .pluck('c.table_name');
}

test('every table that names modules says what remains of a deleted one', async ({ app }) => {
  const tables = await tablesNamingModules(app.api.database);
  expect(tables.toSorted()).toEqual([...ENDED, ...Object.keys(KEPT)].toSorted());
});

test('of a deleted module no row remains that would give access', async ({ app }) => {
  const { module, farmer } = await makeAlertSource(app);
  const { vendor, moduleId } = module;
  const own = app.as(vendor);
  await makeWebhook(app, vendor, 'http://127.0.0.1:9/', {}, moduleId);
  const items = [{ issuer: 'http://127.0.0.1:9', audience: CI_AUDIENCE, claims: CI_CLAIMS }];
  expect((await own.put(`/trustedPublishers/${moduleId}`, { items })).status).toBe(200);
  const zip = samplePackage(app.api.catalogue, { descriptor: { moduleId, component: 'preview' } });
  const staged = await app.importPackage(vendor, zip, { query: '?release=staged' });
  expect(staged.status, staged.text).toBe(200);
  const organizationIds = [farmer.id];
  const previewed = await own.put(`/modules/${moduleId}/revisions/2/previewers`, { organizationIds });
  expect(previewed.status, previewed.text).toBe(200);
  const filled = async () => {
    const isFilled = ENDED.map(
      async (table) => (await app.api.database(table).where({ moduleId }).first()) !== undefined,
    );
    const found = await Promise.all(isFilled);
    return ENDED.filter((_, index) => found[index]);
  };
  expect(await filled()).toEqual(ENDED);
  expect((await own.delete(`/modules/${moduleId}`)).status).toBe(204);
  expect(await filled()).toEqual([]);
  expect((await app.as(module).get('/StructuresByModuleId')).status).toBe(401);
});
