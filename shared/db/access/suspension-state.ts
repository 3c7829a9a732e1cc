import type { Row } from '../rows.ts';

/**
 * The SQL of whether an organization (the SQL of its ID, with its table) is suspended. A value, not `exists`, which
 * PostgreSQL would join: its estimate of the few rows would decide how large tables are read.
 */
export function isSuspended(organizationId: string): string {
  return `coalesce((select true from suspensions s where s.organization_id = ${organizationId}), false)`;
}

/** The SQL of why an organization is suspended; null: it is not. */
export function suspensionReason(organizationId: string): string {
  return `(select s.reason from suspensions s where s.organization_id = ${organizationId})`;
}

/** The SQL of why an organization's modules are stopped for farmers; null: they are not. The reason itself is the organization's own. */
export function stoppedBySuspension(organizationId: string): string {
  return `(select 'The vendor of the module is suspended.' from suspensions s
      where s.organization_id = ${organizationId} and not s.farmers_keep_access)`;
}

/** The SQL of the columns of the suspension of a row of `organizations`, for `SuspensionColumns`. */
export const SUSPENSION_COLUMNS = ['suspended_at', 'reason', 'farmers_keep_access']
  .map(
    (column) =>
      `(select s.${column} from suspensions s where s.organization_id = organizations.id) as ${column.replace('reason', 'suspension_reason')}`,
  )
  .join(', ');

/** The suspension of an organization; null: it is not suspended. */
export interface SuspensionColumns {
  readonly suspendedAt: Row<'suspensions'>['suspendedAt'] | null;
  readonly suspensionReason: string | null;
  readonly farmersKeepAccess: boolean | null;
}
