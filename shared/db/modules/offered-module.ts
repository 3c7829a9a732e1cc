import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import type { Database } from '../database.ts';
import type { ModuleModel } from './models.ts';
import { quarantineReason, withdrawnReason } from './quarantine-state.ts';
import { visibleRevision } from './visible-revision.ts';
import { queryRow, queryRows } from '../statement.ts';

/** The part of a revision that a farmer's input is validated against. */
export interface OfferedModule extends Readonly<Pick<ModuleModel, 'withdrawnReason'>> {
  readonly quarantineReason: string | null;
  readonly revision: number;
  readonly dataAreaIds: readonly string[];
  readonly alertRules: AlertRules | null;
  readonly rulesVersion: string;
}

/**
 * The revision of a module that the organization sees; null where there is none. Until the transaction ends nobody
 * changes which one that is, and nobody deletes the module or its vendor.
 */
export async function lockOfferedModule(
  transaction: Database,
  organizationId: string,
  moduleId: string,
): Promise<OfferedModule | null> {
  const locked = await queryRows<{ id: string }>(
    transaction,
    `select m.id from organizations v join modules m on m.organization_id = v.id
       join organizations o on o.tenant_id = m.tenant_id
     where m.id = :moduleId and o.id = :organizationId and m.deleted_at is null and v.deleted_at is null
     for share of v, m`,
    { moduleId, organizationId },
  );
  if (locked.length === 0) return null;
  // A statement of its own: one that waited for a release sees the new module row, but neither its revision nor its previewers.
  return queryRow<OfferedModule>(
    transaction,
    `select r.revision, r.descriptor -> 'dataAreaIds' as data_area_ids, r.alert_rules, r.rules_version,
       ${withdrawnReason('m')} as withdrawn_reason, ${quarantineReason('m')} as quarantine_reason
     from modules m join module_revisions r on r.module_id = m.id
       and r.revision = ${visibleRevision('m', ':organizationId::uuid')}
     where m.id = :moduleId`,
    { moduleId, organizationId },
  );
}
