import { randomUUID } from 'node:crypto';
import { loadCatalogue } from '../../shared/catalogue/catalogue.ts';
import type { Database } from '../../shared/db/database.ts';
import { putOrganization } from '../../shared/db/access/organizations.ts';
import { followVisibleTexts } from '../../shared/db/modules/search-texts.ts';
import { FIXTURE_ACTOR } from './fixture-actor.ts';

/** A market, the farmer who looks at it, and what can be looked for. */
export interface SeededMarket {
  readonly vendorId: string;
  readonly farmerId: string;
  readonly tenantId: string;
  readonly categoryId: string;
  readonly cropId: string;
}

const REVISIONS = 3;
const MODULES_AT_ONCE = 500;
/*
 * Descriptions in two languages, of 2,000 different words. Every description has "farm", every fourth "soil"
 * and "water", and one in a thousand "orchard". Modules are in one of five categories, and every third is for the crop.
 */
const DESCRIPTOR = `
  jsonb_build_object(
    'moduleId', id, 'categoryId', case when number % 5 = 0 then :categoryId::text else md5((number % 5)::text)::uuid::text end,
    'cropIds', case when number % 3 = 0 then jsonb_build_array(:cropId::text) else '[]' end,
    'dataAreaIds', '[]'::jsonb, 'dependencies', '[]'::jsonb, 'subscriptionOptions', '[]'::jsonb,
    'translations', (select jsonb_agg(jsonb_build_object('languageId', language,
      'moduleName', 'Module ' || number || ' ' || md5((number % 2000)::text),
      'shortName', null, 'shortDescription', 'For the farm number ' || number,
      'description', (select string_agg(md5(((number * 131 + revision * 17 + word * 7919) % 2000)::text), ' ')
        from generate_series(1, :words) word) || ' farm' ||
        case when number % 4 = 0 then ' soil water' else '' end || case when number % 1000 = 0 then ' orchard' else '' end))
      from unnest(:languageIds::text[]) language))`;

const MODULES = `
  insert into modules (id, organization_id, tenant_id, current_revision, newest_revision, created_at)
  select gen_random_uuid(), :vendorId, :tenantId, null, ${REVISIONS}, now() - number * interval '1 minute'
  from generate_series(1, :count) number`;

const REVISION = `
  insert into module_revisions (module_id, revision, organization_id, import_id, imported_by, descriptor, environment, fingerprint,
    packing, archive_key, archive_bytes, archive_sha256, checks)
  select id, revision, :vendorId, gen_random_uuid(), '', ${DESCRIPTOR}, '', '', '', id || '/' || revision, 0, '', '[]'
  from (select id, row_number() over (order by created_at desc) as number from modules where tenant_id = :tenantId) m,
    generate_series(1, ${REVISIONS}) revision`;

/** Every tenth has a ring of named organizations, half of these also of a fifth of all. */
const RELEASE = `
  update modules set current_revision = ${REVISIONS},
    ring_revision = case when number % 10 = 0 then ${REVISIONS - 1} end,
    ring_organization_ids = case when number % 10 = 0 then array(select gen_random_uuid() from generate_series(1, :ring)) else '{}' end,
    ring_percent = case when number % 20 = 0 then 20 end
  from (select id as released_id, row_number() over (order by created_at desc) as number from modules) as released
  where id = released_id`;

/** How large a market is. */
interface MarketSize {
  readonly modules: number;
  /** The words of each description. */
  readonly words: number;
  /** The organizations that each ring names. */
  readonly ring?: number;
}

/** Writes a market of modules with three revisions each. */
export async function seedMarket(
  database: Database,
  { modules: count, words, ring = 1_000 }: MarketSize,
): Promise<SeededMarket> {
  const catalogue = loadCatalogue();
  const [tenantId, vendorId, farmerId] = [randomUUID(), randomUUID(), randomUUID()];
  for (const [id, kind] of [
    [vendorId, 'vendor'],
    [farmerId, 'farmer'],
  ] as const)
    await putOrganization(database, { id, tenantId, kind, name: `Bench ${kind}` }, FIXTURE_ACTOR);
  const idOf = (set: string) => catalogue.sets.get(set)?.[0]?.id ?? randomUUID();
  const [categoryId, cropId] = [idOf('categories'), idOf('crops')];
  const languageIds = ['en', 'de'].map((key) => catalogue.entry('languages', key)?.id ?? '');
  const values = { vendorId, tenantId, count, words, categoryId, cropId, languageIds };
  await database.transaction(async (transaction) => {
    await transaction.raw('set local statement_timeout = 0');
    await transaction.raw(MODULES, values);
    await transaction.raw(REVISION, values);
    await transaction.raw(RELEASE, { ring });
    const moduleIds = await transaction('modules').pluck<string[]>('id');
    // The texts of a few modules at once: all of them would fill the memory.
    for (let from = 0; from < moduleIds.length; from += MODULES_AT_ONCE)
      await followVisibleTexts(transaction, moduleIds.slice(from, from + MODULES_AT_ONCE));
  });
  await database.raw('vacuum analyze');
  return { tenantId, vendorId, farmerId, categoryId, cropId };
}
