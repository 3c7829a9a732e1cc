import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import type { Database } from '../database.ts';

/** The part of a module's current revision that a farmer's input is validated against. */
export interface OfferedModule {
  readonly revision: number;
  readonly dataAreaIds: readonly string[];
  readonly alertRules: AlertRules | null;
}

/**
 * The current revision of a module that the organization's tenant offers; null where there is none. Until
 * the transaction ends no import writes another revision, and nobody deletes the module.
 */
export async function lockOfferedModule(
  transaction: Database,
  organizationId: string,
  moduleId: string,
): Promise<OfferedModule | null> {
  const locked = await transaction.raw<{ rows: { currentRevision: number }[] }>(
    `select m.current_revision from modules m join organizations o on o.tenant_id = m.tenant_id
     where m.id = :moduleId and o.id = :organizationId and m.deleted_at is null for share of m`,
    { moduleId, organizationId },
  );
  const revision = locked.rows[0]?.currentRevision;
  if (revision === undefined) return null;
  // A statement of its own: one that waited for an import sees the new module row, but not the new revision.
  const found = await transaction.raw<{ rows: OfferedModule[] }>(
    `select r.revision, r.descriptor -> 'dataAreaIds' as data_area_ids, r.alert_rules
     from module_revisions r where r.module_id = :moduleId and r.revision = :revision`,
    { moduleId, revision },
  );
  return found.rows[0] ?? null;
}
