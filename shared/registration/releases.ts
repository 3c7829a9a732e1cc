import { writeAudit, type Actor, type AuditEntry } from '../db/access/audit-log.ts';
import { recordChange } from '../db/changes/record-changes.ts';
import { isUniqueViolation, type Database } from '../db/database.ts';
import type { ModuleKey, ModuleModel } from '../db/modules/models.ts';
import {
  changeModule,
  findStagedContent,
  writePreviewers,
  writeRelease,
  type Ring,
} from '../db/modules/releases.ts';
import { reserveScope } from '../db/modules/scopes.ts';
import { endFirstReleaseReviews, reviewFirstRelease } from '../db/modules/reviews.ts';
import { PLACEHOLDER_HASHES, placeholdersOf } from '../package/placeholders.ts';
import type { Problem } from '../package/problem.ts';
import { recheckAfterRelease } from './recheck-module.ts';

/** The result of a request to release a revision. */
export type ReleaseOutcome =
  | 'released'
  | 'missing'
  | 'scope-taken'
  | 'awaits-review'
  | 'declined'
  | { readonly placeholders: readonly Problem[] };

/** What is released to whom; null: to everyone. */
export interface WantedRelease {
  readonly revision: number;
  readonly ring: Ring | null;
  /** Whether operators approve the first release of a module whose vendor is not verified. */
  readonly isFirstReviewed: boolean;
}

/**
 * Releases a revision, of whatever age, to everyone, or to a ring before everyone. One statement makes it visible. Where
 * first releases are reviewed, that of a vendor who is not verified waits for an operator.
 */
export async function releaseRevision(
  database: Database,
  key: ModuleKey,
  { revision, ring, isFirstReviewed }: WantedRelease,
  actor: Actor,
): Promise<ReleaseOutcome> {
  const { moduleId } = key;
  try {
    const outcome = await changeModule(database, key, async (transaction, module) => {
      const staged = await findStagedContent(transaction, moduleId, revision, [...PLACEHOLDER_HASHES]);
      const placeholders = staged === null ? [] : placeholdersOf(staged.translations, staged.files);
      if (placeholders.length > 0) return { placeholders };
      const isFirst = isFirstReviewed && module.currentRevision === null;
      const review = isFirst ? await reviewFirstRelease(transaction, key, revision, actor) : null;
      if (review !== null) return review;
      if (ring !== null && !(await reserveScope(transaction, moduleId, revision))) return 'scope-taken';
      if (!(await writeRelease(transaction, moduleId, revision, ring, actor))) return 'missing';
      // The releases of other revisions need no approval any more.
      if (ring === null) await endFirstReleaseReviews(transaction, { moduleId });
      const change = changeOf(module, revision, ring);
      await writeAudit(transaction, actor, { ...key, ...change });
      if (isOtherAudience(module, revision, ring)) {
        const audience = { everyone: ring === null, ...(ring ?? NO_RING) };
        await recordChange(transaction, {
          type: 'revision.released',
          moduleId,
          subject: { revision, audience },
        });
      }
      return 'released';
    });
    if (outcome === 'released') await recheckAfterRelease(database, moduleId);
    return outcome ?? 'missing';
  } catch (error) {
    if (isUniqueViolation(error, 'scopes_pkey')) return 'scope-taken';
    throw error;
  }
}

const NO_RING: Ring = { organizationIds: [], percent: null };

/** Whether another revision is released to somebody than before. */
function isOtherAudience(module: ModuleModel, revision: number, ring: Ring | null): boolean {
  const { currentRevision, ringRevision, ringOrganizationIds, ringPercent } = module;
  if (ring === null) return currentRevision !== revision || ringRevision !== null;
  const { organizationIds, percent } = ring;
  const isSame = (one: readonly string[], other: readonly string[]) =>
    one.toSorted().join() === other.toSorted().join();
  return (
    ringRevision !== revision || ringPercent !== percent || !isSame(ringOrganizationIds, organizationIds)
  );
}

function changeOf(
  { currentRevision }: ModuleModel,
  revision: number,
  ring: Ring | null,
): Pick<AuditEntry, 'action' | 'details'> {
  if (ring !== null) {
    const { organizationIds, percent } = ring;
    const details = { revision, organizationIds, ...(percent !== null && { percent }) };
    return { action: 'revision.releasedToRing', details };
  }
  if (currentRevision === null) return { action: 'revision.released', details: { revision } };
  const action = revision < currentRevision ? 'revision.rolledBack' : 'revision.released';
  return { action, details: { revision, previousRevision: currentRevision } };
}

/** Sets who sees a staged revision; those who are not named see it no longer. */
export async function setPreviewers(
  database: Database,
  key: ModuleKey,
  revision: number,
  organizationIds: readonly string[],
  actor: Actor,
): Promise<'changed' | 'missing' | 'released' | 'scope-taken'> {
  const { moduleId } = key;
  const outcome = await changeModule(database, key, async (transaction) => {
    const written = await writePreviewers(transaction, moduleId, revision, organizationIds);
    if (written !== 'changed') return written;
    const details = { revision, organizationIds };
    await writeAudit(transaction, actor, { ...key, action: 'revision.previewersChanged', details });
    return written;
  });
  if (outcome === 'changed') await recheckAfterRelease(database, moduleId);
  return outcome ?? 'missing';
}
