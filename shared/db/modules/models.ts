import { Model } from 'objection';
import type { Database } from '../database.ts';

/** Which module of which organization. */
export interface ModuleKey {
  readonly organizationId: string;
  readonly moduleId: string;
}

/** Whether an import releases its revision at once. */
export type ReleasePolicy = 'immediate' | 'manual';

/** A module, also one that was deleted: its ID stays its owner's. */
export class ModuleModel extends Model {
  static override readonly tableName = 'modules';
  declare id: string;
  declare organizationId: string;
  declare tenantId: string;
  declare scope: string | null;
  /** The revision released to everyone; null: none yet. */
  declare currentRevision: number | null;
  /** The revision written last. */
  declare newestRevision: number;
  /** The revision that the ring sees before everyone; null: there is no ring. */
  declare ringRevision: number | null;
  declare ringOrganizationIds: string[];
  declare ringPercent: number | null;
  /** The staged revisions that have previewers. */
  declare previewedRevisions: number[];
  declare releasePolicy: ReleasePolicy;
  declare withdrawnAt: Date | null;
  declare withdrawnReason: string | null;
  declare deprecatedAt: Date | null;
  declare deprecationMessage: string | null;
  declare successorModuleId: string | null;
  declare quarantinedAt: Date | null;
  declare quarantineReason: string | null;
  /** The newest import that was accepted before the module was last deleted or put into quarantine. */
  declare closedAtImport: number;
  declare createdAt: Date;
  declare updatedAt: Date;
  declare deletedAt: Date | null;
  declare deletedBy: string | null;
}

/** What vendor and operators say about a module. */
export type NoticeColumns = Pick<
  ModuleModel,
  | 'withdrawnAt'
  | 'withdrawnReason'
  | 'deprecatedAt'
  | 'deprecationMessage'
  | 'successorModuleId'
  | 'quarantinedAt'
  | 'quarantineReason'
>;

/** The module of an organization, unless it was deleted. */
export function ownModule(database: Database, { organizationId, moduleId }: ModuleKey) {
  return ModuleModel.query(database).findById(moduleId).where({ organizationId }).whereNull('deletedAt');
}

/** The module was put into quarantine while its revision was written: the transaction must be undone. */
export class ModuleClosedError extends Error {
  override readonly name = 'ModuleClosedError';
}
