import { writeAudit, type Actor } from '../access/audit-log.ts';
import { OrganizationModel, type AuditAction } from '../access/models.ts';
import type { Database } from '../database.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { queryRow } from '../statement.ts';
import {
  ownModule,
  ReviewModel,
  type ModuleKey,
  type ReportReason,
  type ReviewDecision,
  type ReviewKind,
} from './models.ts';
import { lockOfferedModule } from './offered-module.ts';

/** What an organization reports about a module. */
export interface Report {
  readonly reason: ReportReason;
  readonly text: string;
}

/** A review, with what operators read about its module and its organizations. */
export type NamedReview = ReviewModel & {
  readonly organizationName: string;
  /** Whether the vendor has deleted the module since. */
  readonly moduleDeleted: boolean;
  readonly vendor: { readonly id: string; readonly name: string; readonly verified: boolean };
};

const INSERT = `
  insert into reviews (kind, organization_id, module_id, revision, module_name, reason, text)
  select 'report', :organizationId, r.module_id, r.revision, r.name, :reason, :text
  from module_revisions r where r.module_id = :moduleId and r.revision = :revision
  on conflict (organization_id, module_id) where decided_at is null do nothing returning *`;

/** Reports a module that the organization sees, or returns that its last report is still open; null where it sees none. */
export async function reportModule(
  database: Database,
  key: ModuleKey,
  report: Report,
  actor: Actor,
): Promise<ReviewModel | 'open' | null> {
  return database.transaction(async (transaction) => {
    const { organizationId, moduleId } = key;
    const offered = await lockOfferedModule(transaction, organizationId, moduleId);
    if (offered === null) return null;
    const values = { organizationId, moduleId, revision: offered.revision, ...report };
    const made = await queryRow<ReviewModel>(transaction, INSERT, values);
    if (made === null) return 'open';
    const details = { revision: made.revision, reason: report.reason };
    await writeAudit(transaction, actor, { ...key, action: 'module.reported', targetId: made.id, details });
    return made;
  });
}

const REQUEST = `
  insert into reviews (kind, organization_id, module_id, revision, module_name)
  select 'first-release', organization_id, module_id, revision, name
  from module_revisions where module_id = :moduleId and revision = :revision
  on conflict (organization_id, module_id) where decided_at is null do update
    set id = excluded.id, revision = excluded.revision, module_name = excluded.module_name, created_at = now()
  returning *`;

/**
 * Puts the first release of a vendor that is not verified into the queue of operators. Null: the release goes on, because
 * they have approved the revision, or the vendor is verified. Another revision takes the place of the one that waits, as
 * another review: nobody approves what they have not seen. The module is locked.
 */
export async function reviewFirstRelease(
  transaction: Database,
  key: ModuleKey,
  revision: number,
  actor: Actor,
): Promise<'awaits-review' | 'declined' | null> {
  const { organizationId, moduleId } = key;
  // Locked: a verification that comes meanwhile ends the review that is made here.
  const vendor = await OrganizationModel.query(transaction).findById(organizationId).forShare();
  if (vendor?.verified === true) return null;
  // Locked before the decisions are read: either an operator's decision is among them, or it comes after this transaction.
  const waiting = await ReviewModel.query(transaction)
    .findOne({ moduleId, revision, kind: 'first-release' })
    .whereNull('decidedAt')
    .forUpdate();
  if (waiting !== undefined) return 'awaits-review';
  const decision = await lastDecision(transaction, moduleId, revision);
  if (decision !== null) return decision === 'approved' ? null : 'declined';
  const made = await queryRow<ReviewModel>(transaction, REQUEST, { moduleId, revision });
  // There is no such revision: the release finds that out.
  if (made === null) return null;
  const target = { targetId: made.id, details: { revision } };
  await writeAudit(transaction, actor, { ...key, action: 'revision.reviewRequested', ...target });
  return 'awaits-review';
}

/** Whether operators have declined to release a revision, at their last decision. */
export async function isDeclined(database: Database, moduleId: string, revision: number): Promise<boolean> {
  return (await lastDecision(database, moduleId, revision)) === 'declined';
}

/** What operators last decided about the first release of a revision; null: nothing. */
async function lastDecision(database: Database, moduleId: string, revision: number) {
  const ofRevision = ReviewModel.query(database).where({ moduleId, revision, kind: 'first-release' });
  const decided = await ofRevision.whereNotNull('decidedAt').orderBy('decidedAt', 'desc').first();
  return decided?.decision ?? null;
}

/** Ends the reviews of first releases that wait, of a module that is deleted or released, or of a vendor that is verified. */
export async function endFirstReleaseReviews(
  transaction: Database,
  of: { readonly moduleId: string } | { readonly organizationId: string },
): Promise<void> {
  await transaction('reviews')
    .where({ ...of, kind: 'first-release' })
    .whereNull('decidedAt')
    .delete();
}

/** An organization's reports of a module, newest first. */
export async function listReports(database: Database, key: ModuleKey, page: PageRequest) {
  return keysetPage(ReviewModel.query(database).where({ ...key, kind: 'report' }), page);
}

/** A report that an organization has made of a module; null: it has made no such report. */
export async function findReport(database: Database, key: ModuleKey, id: string) {
  return (await ReviewModel.query(database).findOne({ ...key, id, kind: 'report' })) ?? null;
}

/** The decided reviews of all modules, or those that wait for a decision, newest first. */
export async function listReviews(
  database: Database,
  isDecided: boolean,
  page: PageRequest,
): Promise<Page<NamedReview>> {
  const query = withNames(database);
  void (isDecided ? query.whereNotNull('decidedAt') : query.whereNull('decidedAt'));
  const { rows, next } = await keysetPage(query, page);
  return { rows: rows as NamedReview[], next };
}

/** What operators have decided about a vendor's module, and its first release that waits, newest first; null where the vendor has no such module. */
export async function listModuleReviews(database: Database, key: ModuleKey, page: PageRequest) {
  if ((await ownModule(database, key)) === undefined) return null;
  const { moduleId } = key;
  const query = ReviewModel.query(database).where({ moduleId });
  return keysetPage(query.whereRaw("(decided_at is not null or kind = 'first-release')"), page);
}

/** What each decision is about, and its entry in the vendor's log. */
const DECISIONS: Readonly<Record<ReviewDecision, readonly [kind: ReviewKind, action: AuditAction]>> = {
  dismissed: ['report', 'report.dismissed'],
  upheld: ['report', 'report.upheld'],
  approved: ['first-release', 'revision.approved'],
  declined: ['first-release', 'revision.declined'],
};

interface Decision {
  readonly decision: ReviewDecision;
  readonly reason: string;
}

/** Decides a review, unless another operator has; null where there is none. Its vendor's log shows it. */
export async function decideReview(
  database: Database,
  id: string,
  { decision, reason }: Decision,
  actor: Actor,
): Promise<NamedReview | 'decided' | 'other-kind' | null> {
  return database.transaction(async (transaction) => {
    const found = await ReviewModel.query(transaction).findById(id).forUpdate();
    if (found === undefined) return null;
    if (found.decidedAt !== null) return 'decided';
    const [kind, action] = DECISIONS[decision];
    if (found.kind !== kind) return 'other-kind';
    const decided = { decision, decisionReason: reason, decidedBy: actor.subject };
    await found.$query(transaction).patch({ ...decided, decidedAt: transaction.raw('now()') });
    const review = (await withNames(transaction).findById(id).throwIfNotFound()) as NamedReview;
    const { moduleId, revision, vendor } = review;
    await writeAudit(transaction, actor, {
      ...{ organizationId: vendor.id, moduleId, targetId: id },
      ...{ action, details: { revision, reason } },
    });
    return review;
  });
}

/** Writes the vendor's only answer to a decision; null where the vendor has no module with it. */
export async function answerReview(
  database: Database,
  key: ModuleKey,
  id: string,
  answer: string,
  actor: Actor,
): Promise<ReviewModel | 'answered' | null> {
  return database.transaction(async (transaction) => {
    if ((await ownModule(transaction, key)) === undefined) return null;
    const { moduleId } = key;
    const ofModule = ReviewModel.query(transaction).findById(id).where({ moduleId });
    const found = await ofModule.whereNotNull('decidedAt').forUpdate();
    if (found === undefined) return null;
    if (found.answeredAt !== null) return 'answered';
    await writeAudit(transaction, actor, { ...key, action: 'review.answered', targetId: id });
    return found.$query(transaction).patchAndFetch({ answer, answeredAt: transaction.raw('now()') });
  });
}

function withNames(database: Database) {
  return ReviewModel.query(database).select(
    'reviews.*',
    database.raw(`(select name from organizations where id = reviews.organization_id) as organization_name,
      (select deleted_at is not null from modules where id = reviews.module_id) as module_deleted,
      (select jsonb_build_object('id', v.id, 'name', v.name, 'verified', v.verified)
       from modules m join organizations v on v.id = m.organization_id where m.id = reviews.module_id) as vendor`),
  );
}
