import type { Database } from '../database.ts';
import { isSuspended } from './suspension-state.ts';
import { isQuarantined } from '../modules/quarantine-state.ts';
import { visibleRevision, visibleRevisions } from '../modules/visible-revision.ts';
import { onlyRow, preparedStatement, queryRow, queryRows, type PreparedStatement } from '../statement.ts';
import { structuresAsText, type StructureForm } from '../structures/read-structures.ts';

/** An organization that has granted a module a data area, and the state of its structures. */
export interface Grant {
  readonly organizationId: string;
  readonly organizationName: string;
  /** Number of changes of its structures; 0 before the first. */
  readonly version: number;
  readonly structures: number;
  /** Its structures, for `structuresOfText`; null where they were not requested, or the answer is long. */
  readonly text: string | null;
}

/** A selection of the organizations that have granted a module a data area. */
export interface GrantFilter {
  readonly moduleId: string;
  readonly dataAreaId: string;
  readonly organizationId: string | null;
  /** Those after this ID. */
  readonly after: string | null;
  readonly limit: number | null;
}

/** Up to this size an answer is built in memory and sent at once. */
const SMALL_BYTES = 256 * 1024;
/** Farms, fields and the like add their brackets to each structure. */
const BYTES_AROUND_STRUCTURE = 64;
const MAX_STRUCTURES = SMALL_BYTES / BYTES_AROUND_STRUCTURE;

/*
 * What a module sees of an organization: what the revision that the organization sees declares and the installation
 * accepted, both. Every read of a module's back end depends on this.
 */

/**
 * The SQL of a module with those of its visible revisions that declare the data area, `declaring`; no row where there
 * is none, and of a module in quarantine. They are few, whatever the number of organizations.
 */
export function declaringModule(moduleId: string, dataAreaId: string): string {
  return `(
    select m.*, declaring from modules m, lateral (select array(
      select r.revision from module_revisions r
      where r.module_id = m.id and r.revision = any(${visibleRevisions('m')}) and jsonb_exists(r.data_area_ids, ${dataAreaId})
    ) as declaring) as d
    where m.id = ${moduleId} and m.deleted_at is null and not ${isQuarantined('m')} and declaring <> '{}')`;
}

/**
 * The SQL of whether the revision that an organization sees of a `declaringModule` declares the data area. Of one that is
 * suspended nobody reads anything.
 */
export function isDeclaredTo(module: string, organizationId: string): string {
  return `(${visibleRevision(module, organizationId)} = any(${module}.declaring) and not ${isSuspended(organizationId)})`;
}

const DECLARES = preparedStatement(
  `select exists (select from ${declaringModule(':moduleId', ':dataAreaId')} m) as declares`,
);

/** Whether a revision of the module that any organization sees declares the data area. */
export async function declaresDataArea(database: Database, moduleId: string, dataAreaId: string) {
  return (await onlyRow<{ declares: boolean }>(database, DECLARES, { moduleId, dataAreaId })).declares;
}

/** A key whose module reads a data area. */
export interface GrantedKey {
  readonly id: string;
  readonly moduleId: string;
  readonly dataAreaId: string;
}

const STILL_GRANTED = preparedStatement(`
  select array(
    select i.organization_id::text from installations i
    where i.module_id = :moduleId::uuid and :dataAreaId::text::uuid = any(i.accepted_data_area_ids)
      and i.organization_id = any(:organizationIds::uuid[]) and ${isDeclaredTo('m', 'i.organization_id')}
  ) as ids
  from api_keys k, ${declaringModule(':moduleId::uuid', ':dataAreaId::text')} m
  where k.id = :id::uuid and k.revoked_at is null and k.expires_at > now()
    and not ${isSuspended('k.organization_id')}`);

/**
 * Those of the organizations that still grant the module the data area; null when the key is not valid any more, or the
 * module was deleted or does not declare the data area.
 */
export async function findStillGranted(
  database: Database,
  key: GrantedKey,
  organizationIds: readonly string[],
): Promise<ReadonlySet<string> | null> {
  const row = await queryRow<{ ids: string[] }>(database, STILL_GRANTED, { ...key, organizationIds });
  return row === null ? null : new Set(row.ids);
}

const STATE = `o.id as organization_id, o.name as organization_name, coalesce(s.version, 0) as version,
  coalesce(s.structures, 0) as structures, coalesce(s.bytes, 0) as bytes`;

/**
 * Selects from `found`, one row of nulls where it is empty; with a form also the texts, if those that are
 * shown are short together.
 */
function selectGrants(form: StructureForm | null, isShown: string): string {
  const state = 'select found.organization_id, found.organization_name, found.version, found.structures';
  if (form === null) return `${state}, null as text from (select) always left join found on true`;
  return `
    ${state}, case when ${isShown} and shown.size <= ${SMALL_BYTES}
      then ${structuresAsText(form, 'found.organization_id', MAX_STRUCTURES)} end as text
    from (select sum(bytes + structures * ${BYTES_AROUND_STRUCTURE}) as size from found where ${isShown}) shown
    left join found on true`;
}

const LOWEST = `'00000000-0000-0000-0000-000000000000'::uuid`;
const HIGHEST = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`;

/**
 * The SQL of the organizations that grant a data area to the `declaringModule` m, by ID. Organization, the one before the
 * first, and limit may be null: since the bounds are always present, one plan for all values uses the index. One more row
 * than the limit means that there is a next page.
 */
function selectFound(name: (parameter: keyof GrantFilter) => string, columns: string): string {
  return `
    select ${columns}
    from installations i join organizations o on o.id = i.organization_id
    left join structure_sets s on s.organization_id = i.organization_id
    where i.module_id = ${name('moduleId')} and ${name('dataAreaId')}::uuid = any(i.accepted_data_area_ids)
      and ${isDeclaredTo('m', 'i.organization_id')}
      and i.organization_id >= greatest(${name('organizationId')}, ${name('after')}, ${LOWEST})
      and i.organization_id <= coalesce(${name('organizationId')}, ${HIGHEST})
      and i.organization_id is distinct from ${name('after')}
    order by i.organization_id limit ${name('limit')} + 1`;
}

const TYPES: Readonly<Record<keyof GrantFilter, string>> = {
  ...{ moduleId: 'uuid', dataAreaId: 'text', organizationId: 'uuid', after: 'uuid', limit: 'int' },
};

const GRANTS = byForm((form) => {
  const number = form === null ? '' : ', row_number() over (order by i.organization_id) as number';
  return `
    with module as materialized (
      select * from ${declaringModule(':moduleId::uuid', ':dataAreaId::text')} m
    ), found as materialized (
      select found.* from module m, lateral (${selectFound((name) => `:${name}::${TYPES[name]}`, STATE + number)}) found
    )
    ${selectGrants(form, 'number <= coalesce(:limit::int, number)')}
    where exists (select from module) order by found.organization_id`;
});

/** The organizations that have granted the module the data area, by ID, one more than the limit; null when the module does not declare it. */
export async function listGrants(database: Database, filter: GrantFilter, form: StructureForm | null) {
  const rows = await queryRows<Grant | { organizationId: null }>(database, GRANTS(form), { ...filter });
  if (rows.length === 0) return null;
  return rows.filter((row): row is Grant => row.organizationId !== null);
}

/** The most organizations for which a read waits for the others of its batch, and they for it. */
const MOST_IN_BATCH = 20;

const BATCH = preparedStatement(`
  select asked.number::int, found.organization_id, found.organization_name, found.version, found.structures, null as text
  from unnest(:moduleIds::uuid[], :dataAreaIds::text[], :organizationIds::uuid[], :afters::uuid[])
    with ordinality as asked ("moduleId", "dataAreaId", "organizationId", "after", number)
  cross join lateral ${declaringModule('asked."moduleId"', 'asked."dataAreaId"')} m
  left join lateral (${selectFound((name) => (name === 'limit' ? String(MOST_IN_BATCH) : `asked."${name}"`), STATE)}) found on true
  order by asked.number, found.organization_id`);

/**
 * The same for several requests, in one statement and without structures. A module with more than a few organizations is
 * read by itself, and 'many' here: nobody waits for it.
 */
export async function listGrantsOfMany(
  database: Database,
  filters: readonly GrantFilter[],
): Promise<readonly (readonly Grant[] | 'many' | null)[]> {
  const rows = await queryRows<(Grant | { organizationId: null }) & { number: number }>(database, BATCH, {
    moduleIds: filters.map(({ moduleId }) => moduleId),
    dataAreaIds: filters.map(({ dataAreaId }) => dataAreaId),
    organizationIds: filters.map(({ organizationId }) => organizationId),
    afters: filters.map(({ after }) => after),
  });
  const found = filters.map((): Grant[] | null => null);
  for (const { number, ...row } of rows) {
    const grants = (found[number - 1] ??= []);
    if (row.organizationId !== null) grants.push(row);
  }
  return filters.map(({ limit }, index) => {
    const grants = found[index] ?? null;
    const isCut = grants !== null && grants.length > MOST_IN_BATCH && (limit ?? Infinity) > MOST_IN_BATCH;
    return isCut ? 'many' : grants;
  });
}

const OWN = byForm(
  (form) => `
    with found as materialized (
      select ${STATE}
      from organizations o left join structure_sets s on s.organization_id = o.id where o.id = :organizationId::uuid
    )
    ${selectGrants(form, 'true')}`,
);

/** The state of a farmer organization's own structures, in the form of a grant; a list of one. */
export async function findOwnStructures(
  database: Database,
  organizationId: string,
  form: StructureForm | null,
): Promise<readonly Grant[]> {
  return queryRows<Grant>(database, OWN(form), { organizationId });
}

/** One statement for each form in which structures are read, and one that reads none. */
function byForm(
  sql: (form: StructureForm | null) => string,
): (form: StructureForm | null) => PreparedStatement {
  const none = preparedStatement(sql(null));
  const forms = { nested: preparedStatement(sql('nested')), features: preparedStatement(sql('features')) };
  return (form) => (form === null ? none : forms[form]);
}
