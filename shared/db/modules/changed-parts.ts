import type { Database } from '../database.ts';
import { queryRows } from '../statement.ts';

/** The parts of a revision that farmers see or decide about. */
export const REVISION_PARTS = [
  'texts',
  'prices',
  'dataAreas',
  'entities',
  'dependencies',
  'alertRules',
  'terms',
  'privacy',
  'images',
] as const;
export type RevisionPart = (typeof REVISION_PARTS)[number];

/** How a revision differs from an earlier one. */
export interface RevisionChanges {
  readonly sinceRevision: number;
  /** The vendor's version of the earlier revision. */
  readonly sinceVendorVersion: string | null;
  readonly parts: readonly RevisionPart[];
  readonly addedDataAreaIds: readonly string[];
  readonly removedDataAreaIds: readonly string[];
}

type Compared = Readonly<Record<RevisionPart, string>> & {
  readonly revision: number;
  readonly vendorVersion: string | null;
  readonly dataAreaIds: readonly string[];
};

const filesIn = (...folders: readonly string[]) => `
  (select md5(coalesce(string_agg(f.path || ' ' || encode(f.sha256, 'hex'), ' ' order by f.path), ''))
   from module_files f
   where f.module_id = r.module_id and f.revision = r.revision
     and split_part(f.path, '/', 1) in (${folders.map((each) => `'${each}'`).join(', ')}))`;

const hashOf = (value: string) => `md5(coalesce((${value})::text, ''))`;

const COLUMNS = `
  r.revision, r.data_area_ids, r.descriptor ->> 'vendorInternalCodeVersion' as vendor_version,
  ${hashOf("r.descriptor -> 'translations'")} as texts, ${hashOf("r.descriptor -> 'subscriptionOptions'")} as prices,
  ${hashOf('r.data_area_ids')} as data_areas, ${hashOf("r.roles -> 'data'")} as entities,
  ${hashOf("r.descriptor -> 'dependencies'")} as dependencies, ${hashOf('json_strip_nulls(r.alert_rules)')} as alert_rules,
  ${filesIn('ModuleToS')} as terms, ${filesIn('ModulePrivacy')} as privacy, ${filesIn('ModuleImage', 'ModuleLogo')} as images`;

/**
 * How a revision differs from the one that the farmer decided about, or else from the one before it; null where neither
 * is kept.
 */
export async function findRevisionChanges(
  database: Database,
  { id: moduleId, revision }: { readonly id: string; readonly revision: number },
  installedRevision: number | null,
): Promise<RevisionChanges | null> {
  const earlier = `(
    select earlier.revision from module_revisions earlier
    where earlier.module_id = :moduleId and earlier.revision < :revision and earlier.released_at is not null
    order by earlier.revision = :installedRevision::int desc nulls last, earlier.revision desc limit 1)`;
  return compare(database, earlier, { moduleId, revision, installedRevision });
}

/**
 * How a revision differs from one that was seen before, an earlier or (after a roll-back) a later one; null where that
 * is not kept, or was never released: its content is for its previewers.
 */
export async function compareRevisions(
  database: Database,
  moduleId: string,
  seenRevision: number,
  revision: number,
): Promise<RevisionChanges | null> {
  return compare(database, ':seenRevision', { moduleId, revision, seenRevision });
}

async function compare(
  database: Database,
  since: string,
  values: { readonly revision: number } & Readonly<Record<string, string | number | null>>,
): Promise<RevisionChanges | null> {
  const rows = await queryRows<Compared>(
    database,
    `select ${COLUMNS} from module_revisions r
     where r.module_id = :moduleId and (r.revision = :revision or (r.revision = ${since} and r.released_at is not null))`,
    values,
  );
  const before = rows.find(({ revision }) => revision !== values.revision);
  const after = rows.find(({ revision }) => revision === values.revision);
  if (before === undefined || after === undefined) return null;
  return {
    sinceRevision: before.revision,
    sinceVendorVersion: before.vendorVersion,
    parts: REVISION_PARTS.filter((part) => before[part] !== after[part]),
    addedDataAreaIds: after.dataAreaIds.filter((id) => !before.dataAreaIds.includes(id)),
    removedDataAreaIds: before.dataAreaIds.filter((id) => !after.dataAreaIds.includes(id)),
  };
}
