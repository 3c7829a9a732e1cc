import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import type { ModuleDocument } from '../../package/documents/applicable-documents.ts';
import type { InstallationModel } from '../access/models.ts';
import type { AlertRuleModel } from '../alerts/models.ts';
import { changesInsert } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { preparedStatement, queryRows } from '../statement.ts';
import { documentsIn } from './module-documents.ts';
import { visibleRevision, visibleRevisions } from './visible-revision.ts';

/*
 * Rows that depend on the revision which their organization sees: alert rules and installations. Each keeps the version of
 * the part against which it was checked, and is behind while its organization sees another version. So nothing depends on
 * which revisions were seen before, on the order of the pieces, or on one process doing all of them.
 */

/** The part of a revision that rows depend on; the version is equal for equal parts. */
interface CheckedPart {
  readonly revision: number;
  readonly version: string;
}

/** A row of an organization, and the revision that the organization sees. */
interface DependentRow {
  readonly organizationId: string;
  readonly id: string;
  readonly visibleRevision: number;
}

/** A kind of rows that depend on the revision which their organization sees. */
export interface Dependents<Part extends object, Row extends object> {
  readonly table: string;
  /** The SQL of the columns of `Part` and the version, of revision `r`. */
  readonly part: string;
  /** The SQL of the columns of `Row`, of row `d`. */
  readonly columns: string;
  /** The key that orders an organization's rows. */
  readonly id: string;
  /** The column with the version of the part against which the row was checked. */
  readonly version: string;
  /** Rows of one piece: this bounds how long releases, the event loop and the rows' writers wait. */
  readonly atOnce: number;
  /** The result of a check of a row against what its organization sees, for `write`. */
  readonly check: (row: Row, seen: Part) => object;
  /** The statement that writes `:checked`, a JSON array of rows' keys, versions and results, of the module `:moduleId`. */
  readonly write: string;
}

/** The last row of a piece. */
type Position = Pick<DependentRow, 'organizationId' | 'id'>;

/** The next rows that are behind: after a position, or those with these IDs. */
export interface PieceBounds {
  readonly after: Position | null;
  readonly ids: readonly string[] | null;
}

/**
 * Checks the next rows of a module that are behind, in a transaction of its own, in which nobody changes what organizations
 * see. Returns the last of them; null where no more are behind.
 */
export async function recheckPiece<Part extends object, Row extends object>(
  database: Database,
  moduleId: string,
  dependents: Dependents<Part, Row>,
  { after, ids }: PieceBounds,
): Promise<Position | null> {
  return database.transaction(async (transaction) => {
    await transaction.raw('select from modules where id = :moduleId for share', { moduleId });
    const parts = await visibleParts(transaction, moduleId, dependents);
    if (parts.size === 0) return null;
    const versions = JSON.stringify(
      Object.fromEntries([...parts].map(([key, { version }]) => [key, version])),
    );
    const rows = await queryRows<Row & DependentRow>(transaction, behindOf(dependents), {
      ...{ moduleId, versions, ids },
      ...{ organizationId: after?.organizationId ?? null, id: after?.id ?? null },
    });
    const checked = rows.flatMap((row) => {
      const seen = parts.get(row.visibleRevision);
      if (seen === undefined) return [];
      const { organizationId, id } = row;
      return [{ organizationId, id, version: seen.version, ...dependents.check(row, seen) }];
    });
    if (checked.length > 0)
      await transaction.raw(dependents.write, { moduleId, checked: JSON.stringify(checked) });
    return rows.length < dependents.atOnce ? null : (rows.at(-1) ?? null);
  });
}

async function visibleParts<Part extends object, Row extends object>(
  transaction: Database,
  moduleId: string,
  { table, part }: Dependents<Part, Row>,
): Promise<ReadonlyMap<number, Part & CheckedPart>> {
  const found = await queryRows<Part & CheckedPart>(
    transaction,
    `select r.revision, ${part} from modules m
     join module_revisions r on r.module_id = m.id and r.revision = any(${visibleRevisions('m')})
     where m.id = :moduleId and exists (select from ${table} d where d.module_id = m.id)`,
    { moduleId },
  );
  return new Map(found.map((each) => [each.revision, each]));
}

/** The SQL of the rows that are behind, in the order of the index, and locked in that order. */
function behindOf<Part extends object, Row extends object>({
  table,
  id,
  columns,
  version,
  atOnce,
}: Dependents<Part, Row>): string {
  return `
    select d.organization_id, d.${id} as id, ${columns}, v.revision as visible_revision
    from ${table} d join modules m on m.id = d.module_id
      cross join lateral (select ${visibleRevision('m', 'd.organization_id')} as revision) v
    where d.module_id = :moduleId and v.revision is not null
      and d.${version} is distinct from :versions::jsonb ->> v.revision::text
      and (:ids::uuid[] is null or d.${id} = any(:ids::uuid[]))
      and (:id::uuid is null or (d.organization_id, d.${id}) > (:organizationId::uuid, :id::uuid))
    order by d.organization_id, d.${id} limit ${atOnce} for no key update of d`;
}

/** The definitions of a revision. */
export interface Definitions {
  readonly revision: number;
  readonly alertRules: AlertRules | null;
}

/** The result of the check of a rule: without reasons it is active, otherwise outdated. */
export interface CheckedRule {
  readonly revision: number;
  readonly reasons: readonly string[];
  readonly interval: number | null;
}

/** The alert rules of a module. */
export function alertRulesBy(
  check: (rule: Pick<AlertRuleModel, 'criteria' | 'ruleValues'>, seen: Definitions) => CheckedRule,
): Dependents<Definitions, Pick<AlertRuleModel, 'criteria' | 'ruleValues'>> {
  return {
    table: 'alert_rules',
    part: 'r.alert_rules, r.rules_version as version',
    columns: 'd.criteria, d.rule_values',
    id: 'id',
    version: 'definition_version',
    // Definitions may have thousands of parts, and each rule is validated against all of them.
    atOnce: 50,
    check,
    write: `
      with changed as (
        update alert_rules a set definition_revision = checked.revision, definition_version = checked.version,
          outdated_reasons = checked.reasons, expected_interval_hours = checked.interval,
          status = case when checked.reasons = '[]' then 'active' else 'outdated' end, updated_at = now()
        from jsonb_to_recordset(:checked::jsonb)
            as checked ("organizationId" uuid, id uuid, version text, reasons jsonb, revision int, interval int),
          alert_rules last
        where a.id = checked.id and a.organization_id = checked."organizationId" and a.module_id = :moduleId
          and last.id = a.id
        returning a.id, a.organization_id, a.module_id, a.status, last.status as last_status
      )
      ${changesInsert(
        "case when status = 'outdated' and last_status = 'active' then 'rule.outdated' else 'rule.changed' end",
        'changed',
        { subject: { ruleId: 'id' } },
      )}`,
  };
}

/** What a revision requests of farmers. */
export interface Requests {
  readonly revision: number;
  readonly dataAreaIds: readonly string[];
  readonly terms: readonly ModuleDocument[];
}

type Consented = Pick<InstallationModel, 'offeredDataAreaIds' | 'acceptedTerms'> & {
  readonly countryCode: string | null;
};

/** The installations of a module. Records `consent.pending` once for each revision, because the installation keeps which one it was. */
export function installationsBy(
  check: (installation: Consented, seen: Requests) => { readonly pendingRevision: number | null },
): Dependents<Requests, Consented> {
  return {
    table: 'installations',
    part: `r.data_area_ids, ${documentsIn('ModuleToS')} as terms, md5(r.data_area_ids::text || ${documentsIn('ModuleToS')}::text) as version`,
    columns: `d.offered_data_area_ids, d.accepted_terms,
      (select o.country_code from organizations o where o.id = d.organization_id) as country_code`,
    id: 'organization_id',
    version: 'requests_version',
    atOnce: 500,
    check,
    write: `
      with changed as (
        update installations i set pending_revision = checked."pendingRevision", requests_version = checked.version
        from jsonb_to_recordset(:checked::jsonb)
            as checked ("organizationId" uuid, version text, "pendingRevision" int),
          installations last
        where i.module_id = :moduleId and i.organization_id = checked."organizationId"
          and last.module_id = i.module_id and last.organization_id = i.organization_id
        returning i.module_id, i.organization_id, i.pending_revision, last.pending_revision as last_revision
      )
      ${changesInsert("'consent.pending'", 'changed where pending_revision <> coalesce(last_revision, 0)', {
        subject: { revision: 'pending_revision' },
      })}`,
  };
}

/** The SQL of whether an alert rule (the alias of its row) is behind. */
export function isRuleBehind(rule: string): string {
  return `exists (
    select from modules m join module_revisions r on r.module_id = m.id
      and r.revision = ${visibleRevision('m', `${rule}.organization_id`)}
    where m.id = ${rule}.module_id and r.rules_version <> ${rule}.definition_version)`;
}

/** The SQL that notes, in the statement or transaction that changes what organizations see, that rows may be behind. */
export const noteBehind = (from: string) =>
  `insert into modules_behind (module_id) select module_id from ${from}`;

/*
 * Of a module without dependents nothing can be behind: its notes end at once. Whoever becomes one later sees at least the
 * revisions that were visible when these notes were written.
 */
const NOTES = preparedStatement(`
  with none as (
    select where not exists (select from installations where module_id = :moduleId)
      and not exists (select from alert_rules where module_id = :moduleId)
  ), ended as (
    delete from modules_behind using none where module_id = :moduleId
  )
  select id from modules_behind where module_id = :moduleId and not exists (select from none)`);

/** The notes that rows of a module may be behind; none where nothing depends on it. */
export async function findNotesBehind(database: Database, moduleId: string): Promise<readonly number[]> {
  return (await queryRows<{ id: number }>(database, NOTES, { moduleId })).map(({ id }) => id);
}

/** Forgets notes after a whole pass that began after they were read. Those of a later release stay. */
export async function forgetNotesBehind(database: Database, ids: readonly number[]): Promise<void> {
  await database.raw('delete from modules_behind where id = any(:ids::bigint[])', { ids: [...ids] });
}

/** The modules with rows that may be behind, in random order: those that cannot be checked keep no other waiting. */
export async function listModulesBehind(database: Database): Promise<readonly string[]> {
  const sql = 'select module_id from modules_behind group by module_id order by random()';
  return (await queryRows<{ moduleId: string }>(database, sql)).map(({ moduleId }) => moduleId);
}
