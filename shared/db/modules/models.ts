import type { Database } from '../database.ts';
import { modelOf } from '../rows.ts';

export interface ModuleKey {
  readonly organizationId: string;
  readonly moduleId: string;
}

/** Whether an import releases its revision at once. */
export type ReleasePolicy = 'immediate' | 'manual';

/** A module, also one that was deleted: its ID stays its owner's. */
export class ModuleModel extends modelOf('modules') {
  declare releasePolicy: ReleasePolicy;
}

/** What an organization reports a module for. */
export const REPORT_REASONS = ['misleading', 'broken', 'security', 'privacy', 'unlawful', 'other'] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];

/** What operators review: a report of a farmer, or the first release of a vendor that is not verified. */
export const REVIEW_KINDS = ['report', 'first-release'] as const;
export type ReviewKind = (typeof REVIEW_KINDS)[number];

/** What operators decide: the first two about a report, the others about a first release. */
export const REVIEW_DECISIONS = ['dismissed', 'upheld', 'approved', 'declined'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** What operators decide about a module, and what its vendor answers. */
export class ReviewModel extends modelOf('reviews') {
  declare kind: ReviewKind;
  declare reason: ReportReason | null;
  declare decision: ReviewDecision | null;
}

/** The module of an organization, unless it was deleted. */
export function ownModule(database: Database, { organizationId, moduleId }: ModuleKey) {
  return ModuleModel.query(database).findById(moduleId).where({ organizationId }).whereNull('deletedAt');
}

/** Locks a module until the transaction ends, which serialises changes of what belongs to it; false where the organization has none. */
export async function lockOwnModule(transaction: Database, key: ModuleKey): Promise<boolean> {
  return (await ownModule(transaction, key).forNoKeyUpdate()) !== undefined;
}

/** The newest revision of a module is another one than the caller expects. */
export class RevisionChangedError extends Error {
  override readonly name = 'RevisionChangedError';

  constructor(revision: number) {
    super(`the module is at revision ${revision}`);
  }
}

/** The module was put into quarantine while a revision was released: the transaction must be undone. */
export class ReleaseDecidedError extends Error {
  override readonly name = 'ReleaseDecidedError';
}
