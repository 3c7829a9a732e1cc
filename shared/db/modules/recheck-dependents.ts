import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import type { ModuleDocument } from '../../package/documents/applicable-documents.ts';
import type { InstallationModel } from '../access/models.ts';
import type { AlertRuleModel } from '../alerts/models.ts';
import { changesInsert } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { queryRows } from '../statement.ts';
import { documentsIn } from './module-documents.ts';
import { visibleRevision, visibleRevisions } from './visible-revision.ts';

/** The part of a revision that rows depend on; the version is equal for equal parts. */
interface CheckedPart {
  readonly revision: number;
  readonly version: string;
}

/** A row of an organization, and the revision that the organization sees; null: none. */
interface DependentRow {
  readonly organizationId: string;
  readonly id: string;
  readonly visibleRevision: number | null;
}

/** Rows that depend on the revision which their organization sees. */
interface Dependents {
  readonly table: string;
  /** The SQL of the columns of `Part` but its number, of revision `r` of module `m`. */
  readonly part: string;
  /** The SQL of the columns of `Row` but those of `DependentRow`, of row `d`. */
  readonly columns: string;
  /** The key that orders an organization's rows. */
  readonly id: string;
  /** The statement that writes `:changes`, a JSON array of the results of a check, of the module `:moduleId`. */
  readonly write: string;
}

/** What has changed of a row, seen in this part of the revision that its organization sees; null: nothing. */
type Check<Part, Row> = (row: Row, seen: Part | undefined, parts: ReadonlyMap<number, Part>) => object | null;

/** Rows that are read and written at once: this bounds the memory of a release of a popular module. */
const BATCH = 1_000;

/** Checks the rows of a module against what each organization sees now, unless that is the same as before for all. */
async function recheck<Part extends CheckedPart, Row extends DependentRow>(
  transaction: Database,
  moduleId: string,
  seenBefore: readonly number[],
  { table, part, columns, id, write }: Dependents,
  check: Check<Part, Row>,
): Promise<void> {
  const found = await queryRows<Part>(
    transaction,
    `select r.revision, ${part} from modules m join module_revisions r on r.module_id = m.id
       and r.revision = any(${visibleRevisions('m')} || :seenBefore::int[])
     where m.id = :moduleId and exists (select from ${table} d where d.module_id = m.id)`,
    { moduleId, seenBefore },
  );
  const parts = new Map(found.map((each) => [each.revision, each]));
  // The revisions of a module that was deleted long ago are gone: what its rows were written for is unknown.
  const isEachKnown = seenBefore.length > 0 && seenBefore.every((revision) => parts.has(revision));
  const areSame = isEachKnown && new Set(found.map(({ version }) => version)).size === 1;
  if (found.length === 0 || areSame) return;
  let batch: readonly Row[] = [];
  do {
    // In the order of the index, and locked in that order.
    batch = await queryRows<Row>(
      transaction,
      `select d.organization_id, d.${id} as id, ${columns}, ${visibleRevision('m', 'd.organization_id')} as visible_revision
       from ${table} d join modules m on m.id = d.module_id
       where d.module_id = :moduleId
         and (:id::uuid is null or (d.organization_id, d.${id}) > (:organizationId::uuid, :id::uuid))
       order by d.organization_id, d.${id} limit ${BATCH} for no key update of d`,
      { moduleId, organizationId: batch.at(-1)?.organizationId ?? null, id: batch.at(-1)?.id ?? null },
    );
    const changes = batch.flatMap((row) => check(row, parts.get(row.visibleRevision ?? 0), parts) ?? []);
    if (changes.length > 0) await transaction.raw(write, { moduleId, changes: JSON.stringify(changes) });
  } while (batch.length === BATCH);
}

/** Null also of revisions that nobody sees any more. */
type Definitions = CheckedPart & { readonly alertRules: AlertRules | null };
type CheckedRule = DependentRow &
  Pick<AlertRuleModel, 'criteria' | 'ruleValues' | 'definitionRevision' | 'status'>;

/** The alert rules of a module: without reasons they are active, otherwise outdated. */
const ALERT_RULES: Dependents = {
  table: 'alert_rules',
  // Compared as values: neither the order of members matters, nor members that a later release has added.
  part: `coalesce(md5(jsonb_strip_nulls(r.alert_rules::jsonb)::text), '') as version,
    case when r.revision = any(${visibleRevisions('m')}) then r.alert_rules end as alert_rules`,
  columns: 'd.criteria, d.rule_values, d.definition_revision, d.status',
  id: 'id',
  write: `
    with changed as (
      update alert_rules a set definition_revision = checked.revision, outdated_reasons = checked.reasons,
        status = case when checked.reasons = '[]' then 'active' else 'outdated' end,
        expected_interval_hours = checked.interval, updated_at = now()
      from jsonb_to_recordset(:changes::jsonb)
        as checked ("organizationId" uuid, id uuid, status text, reasons jsonb, revision int, interval int)
      where a.id = checked.id and a.organization_id = checked."organizationId" and a.module_id = :moduleId
      returning a.id, a.organization_id, a.module_id, a.status, checked.status as last_status
    )
    ${changesInsert(
      "case when status = 'outdated' and last_status = 'active' then 'rule.outdated' else 'rule.changed' end",
      'changed',
      { subject: { ruleId: 'id' } },
    )}`,
};

type Requests = CheckedPart & {
  readonly dataAreaIds: readonly string[];
  readonly terms: readonly ModuleDocument[];
};
type CheckedInstallation = DependentRow &
  Pick<InstallationModel, 'offeredDataAreaIds' | 'acceptedTerms' | 'pendingRevision'> & {
    readonly countryCode: string | null;
  };

/** Checks the alert rules of a module against the definitions that their organizations see now. */
export async function recheckAlertRules(
  transaction: Database,
  moduleId: string,
  seenBefore: readonly number[],
  check: Check<Definitions, CheckedRule>,
): Promise<void> {
  await recheck(transaction, moduleId, seenBefore, ALERT_RULES, check);
}

/** The installations of a module. Records `consent.pending` once for each revision, because the installation keeps which one it was. */
const CONSENTS: Dependents = {
  table: 'installations',
  part: `r.data_area_ids, ${documentsIn('ModuleToS')} as terms, md5(r.data_area_ids::text || ${documentsIn('ModuleToS')}::text) as version`,
  columns: `d.offered_data_area_ids, d.accepted_terms, d.pending_revision,
    (select o.country_code from organizations o where o.id = d.organization_id) as country_code`,
  id: 'module_id',
  write: `
    with changed as (
      update installations i set pending_revision = checked.revision
      from jsonb_to_recordset(:changes::jsonb) as checked ("organizationId" uuid, revision int)
      where i.module_id = :moduleId and i.organization_id = checked."organizationId"
      returning i.module_id, i.organization_id, i.pending_revision
    )
    ${changesInsert("'consent.pending'", 'changed where pending_revision is not null', {
      subject: { revision: 'pending_revision' },
    })}`,
};

/** Checks the installations of a module against what the revisions that their organizations see request now. */
export async function recheckConsents(
  transaction: Database,
  moduleId: string,
  seenBefore: readonly number[],
  check: Check<Requests, CheckedInstallation>,
): Promise<void> {
  await recheck(transaction, moduleId, seenBefore, CONSENTS, check);
}
