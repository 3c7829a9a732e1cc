import { authorityOfKey, requireAuthority } from '../access/authority.ts';
import { declaringModule, isDeclaredTo, type GrantedKey } from '../access/module-grants.ts';
import type { Database } from '../database.ts';
import { onlyRow, queryRows } from '../statement.ts';

/** Rules that are locked and written at once: this bounds how long alerts of a popular module wait. */
const BATCH = 1_000;

/** The SQL of the rules `r` that a module sees, with their installations `i`; further conditions can follow. */
export const VISIBLE_RULES = `alert_rules r
     join installations i on i.module_id = r.module_id and i.organization_id = r.organization_id
     join ${declaringModule(':moduleId::uuid', ':dataAreaId::text')} m on ${isDeclaredTo('m', 'i.organization_id')}
     where r.module_id = :moduleId and :dataAreaId::uuid = any(i.accepted_data_area_ids)`;

/** The SQL of whether a report of the rule `r` is to be recorded: intervals are hours, so once a minute is enough. */
export const IS_UNREPORTED = `(r.reported_at is null or r.reported_at < now() - interval '1 minute')`;

export interface ReportKey extends GrantedKey {
  /** In lower case; null: all that it sees. */
  readonly ruleIds: readonly string[] | null;
}

/** The number of reported rules, or the IDs of those that the module does not see; then none was reported. */
export type ReportResult = { readonly rules: number } | { readonly unknownIds: ReadonlySet<string> };

/** A rule in the order of the locks. */
interface RulePosition {
  readonly organizationId: string;
  readonly id: string;
}

const LOWEST = '00000000-0000-0000-0000-000000000000';

/** Records that a module has checked rules, whatever it has found. */
export async function reportRules(database: Database, key: ReportKey): Promise<ReportResult> {
  const { ruleIds } = key;
  const { rules, unreported, ids } = await readSeen(database, key);
  const unknownIds = new Set(ruleIds?.filter((id) => !ids.includes(id)));
  if (unknownIds.size > 0) return { unknownIds };
  let last: RulePosition | undefined = { organizationId: LOWEST, id: LOWEST };
  for (let left = unreported; left > 0 && last !== undefined; left -= BATCH)
    last = await writeBatch(database, key, last);
  return { rules };
}

interface SeenRules {
  readonly rules: number;
  readonly unreported: number;
  /** Empty where no rules are named. */
  readonly ids: readonly string[];
}

async function readSeen(database: Database, key: ReportKey): Promise<SeenRules> {
  const ids = key.ruleIds === null ? "'{}'::uuid[]" : "coalesce(array_agg(r.id), '{}')";
  return onlyRow<SeenRules>(
    database,
    `select count(*)::int as rules, count(*) filter (where ${IS_UNREPORTED})::int as unreported, ${ids}::text[] as ids
     from ${VISIBLE_RULES} ${namedIn(key)}`,
    { ...key },
  );
}

/** Writes the next rules that are to be recorded; the last of them, or undefined where there was none. */
async function writeBatch(
  database: Database,
  key: ReportKey,
  last: RulePosition,
): Promise<RulePosition | undefined> {
  const rows = await queryRows<RulePosition>(
    database,
    `with authorized as materialized (
       select ${requireAuthority(':authority::jsonb')} as holds
     ), batch as (
       select r.organization_id, r.id from ${VISIBLE_RULES} ${namedIn(key)} and ${IS_UNREPORTED}
         and (r.organization_id, r.id) > (:lastOrganizationId::uuid, :lastId::uuid)
       order by r.organization_id, r.id limit ${BATCH} for no key update of r
     ), written as (
       update alert_rules set reported_at = now() from batch, authorized
       where alert_rules.id = batch.id and authorized.holds
     )
     select organization_id, id from batch order by organization_id desc, id desc limit 1`,
    { ...key, authority: authorityOfKey(key), lastOrganizationId: last.organizationId, lastId: last.id },
  );
  return rows[0];
}

function namedIn({ ruleIds }: ReportKey): string {
  return ruleIds === null ? '' : 'and r.id = any(:ruleIds::uuid[])';
}
