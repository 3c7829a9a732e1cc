import { isSuspended, stoppedBySuspension } from '../access/suspension-state.ts';
import type { Row } from '../rows.ts';
import type { ModuleModel } from './models.ts';

/**
 * The SQL of whether a module (the alias of its row) is in quarantine. So are all modules of a vendor whose suspension
 * takes access from farmers.
 */
export function isQuarantined(module: string): string {
  return `(exists (select from quarantines q where q.module_id = ${module}.id and q.quarantined_at is not null)
    or ${stoppedBySuspension(`${module}.organization_id`)} is not null)`;
}

/** The SQL of why a module is in quarantine; null: it is not. */
export function quarantineReason(module: string): string {
  return `coalesce((select q.quarantine_reason from quarantines q where q.module_id = ${module}.id),
    ${stoppedBySuspension(`${module}.organization_id`)})`;
}

/** The SQL of why a module cannot be newly installed: it was withdrawn, or its vendor is suspended; null: it can. */
export function withdrawnReason(module: string): string {
  return `coalesce(${module}.withdrawn_reason,
    case when ${isSuspended(`${module}.organization_id`)} then 'The vendor of the module is suspended.' end)`;
}

/** The SQL of the newest import that somebody decided after: this and older ones of the module release nothing. */
export function releaseDecidedAtImport(module: string): string {
  return `greatest(${module}.release_decided_at_import,
      (select q.decided_at_import from quarantines q where q.module_id = ${module}.id))`;
}

/** The SQL of the columns of a module's quarantine, for `QuarantineColumns`. */
export const QUARANTINE_COLUMNS = `(select q.quarantined_at from quarantines q where q.module_id = modules.id) as quarantined_at,
  ${quarantineReason('modules')} as quarantine_reason`;

/** The running quarantine of a module; null: there is none. */
export type QuarantineColumns = Pick<Row<'quarantines'>, 'quarantinedAt' | 'quarantineReason'>;

/** A module with its quarantine. */
export type QuarantinedModule = ModuleModel & QuarantineColumns;
