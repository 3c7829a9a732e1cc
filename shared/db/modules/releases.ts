import { writeAudit, type Actor } from '../access/audit-log.ts';
import { recordChange } from '../changes/record-changes.ts';
import { isUniqueViolation, type Database } from '../database.ts';
import { ownModule, type ModuleModel, type ModuleKey } from './models.ts';
import type { AuditAction, AuditDetails } from '../access/models.ts';
import { applyVisibleRevisions } from './apply-visible-revisions.ts';
import { lockModule } from './registry-state.ts';
import { endOfRing } from './visible-revision.ts';
import { queryRow, queryRows } from '../statement.ts';

/** A revision that some organizations see before everyone: those named, and a share of all in percent. */
export interface Ring {
  readonly organizationIds: readonly string[];
  readonly percent: number | null;
}

/** The staged revisions of a module that have previewers. */
export interface Preview {
  readonly revision: number;
  readonly organizationIds: readonly string[];
}

/** A module's row, and who previews what. */
export interface ModuleReleases {
  readonly module: ModuleModel;
  readonly previews: readonly Preview[];
}

/** A revision without its content. */
export interface RevisionRecord {
  readonly revision: number;
  readonly importId: string;
  readonly importedBy: string;
  /** Lower-case hex. */
  readonly archiveSha256: string;
  readonly archiveBytes: number;
  readonly createdAt: Date;
  readonly releasedAt: Date | null;
}

/** A revision of a module; null where the organization has no such revision. */
export async function findRevisionRecord(
  database: Database,
  { organizationId, moduleId }: ModuleKey,
  revision: number,
): Promise<RevisionRecord | null> {
  return queryRow<RevisionRecord>(
    database,
    `select r.revision, r.import_id, r.imported_by, encode(r.archive_sha256, 'hex') as archive_sha256, r.archive_bytes,
       r.created_at, r.released_at
     from module_revisions r
     where r.module_id = :moduleId and r.organization_id = :organizationId and r.revision = :revision`,
    { organizationId, moduleId, revision },
  );
}

/** What else a change records in the audit log. */
interface Change {
  readonly action: AuditAction;
  readonly details?: AuditDetails;
}

/**
 * The revision of a module that each farmer sees; null where the organization has no such module. One statement: a release in
 * between is seen whole or not at all.
 */
export async function findReleases(database: Database, key: ModuleKey): Promise<ModuleReleases | null> {
  const previews = database.raw(
    `coalesce((select jsonb_agg(jsonb_build_object('revision', revision, 'organizationIds', ids) order by revision desc)
      from (select revision, jsonb_agg(organization_id order by organization_id) as ids from revision_previewers
            where module_id = modules.id group by revision) as each), '[]') as previews`,
  );
  const found = (await ownModule(database, key).select('modules.*', previews)) as
    (ModuleModel & { readonly previews: readonly Preview[] }) | undefined;
  return found === undefined ? null : { module: found, previews: found.previews };
}

/**
 * Changes a module that is there, as its only change at the time: imports, deletions and other releases of it wait. Null
 * where the organization has no such module.
 */
export async function changeModule<Result>(
  database: Database,
  key: ModuleKey,
  change: (transaction: Database, module: ModuleModel) => Promise<Result>,
): Promise<Result | null> {
  return database.transaction(async (transaction) => {
    await lockModule(transaction, key.moduleId);
    const module = await ownModule(transaction, key).forNoKeyUpdate();
    return module === undefined ? null : change(transaction, module);
  });
}

/** The result of a request to release a revision. */
export type ReleaseOutcome = 'released' | 'missing' | 'scope-taken';

const RELEASE = `
  update modules set current_revision = :revision, scope = :scope, ${endOfRing('true')},
    release_decided_at_import = newest_import(), updated_at = now()
  where id = :moduleId`;
const RELEASE_TO_RING = `
  update modules set ring_revision = :revision, ring_organization_ids = :organizationIds::uuid[], ring_percent = :percent,
    release_decided_at_import = newest_import(), updated_at = now()
  where id = :moduleId`;

/**
 * Releases a revision, of whatever age, to everyone, or to a ring before everyone. One statement makes it visible. To
 * everyone ends the ring, and the previews of this revision and older ones.
 */
export async function releaseRevision(
  database: Database,
  key: ModuleKey,
  revision: number,
  ring: Ring | null,
  actor: Actor,
): Promise<ReleaseOutcome> {
  const { moduleId } = key;
  try {
    const outcome = await changeModule(
      database,
      key,
      async (transaction, module): Promise<ReleaseOutcome> => {
        const scope = await markReleased(transaction, moduleId, revision);
        if (scope === undefined) return 'missing';
        const ended = transaction('revision_previewers').where({ moduleId });
        await ended.where('revision', ring === null ? '<=' : '=', revision).delete();
        if (ring === null) await transaction.raw(RELEASE, { moduleId, revision, scope });
        else await transaction.raw(RELEASE_TO_RING, { moduleId, revision, ...ring });
        await checkVisible(transaction, module);
        const change = changeOf(module, revision, ring);
        await writeAudit(transaction, actor, { ...key, ...change });
        const type = change.action === 'revision.rolledBack' ? 'revision.rolledBack' : 'revision.released';
        await recordChange(transaction, { type, moduleId, subject: { revision } });
        return 'released';
      },
    );
    return outcome ?? 'missing';
  } catch (error) {
    if (isUniqueViolation(error, 'modules_scope')) return 'scope-taken';
    throw error;
  }
}

function changeOf({ currentRevision }: ModuleModel, revision: number, ring: Ring | null): Change {
  if (ring !== null) {
    const { organizationIds, percent } = ring;
    const details = { revision, organizationIds, ...(percent !== null && { percent }) };
    return { action: 'revision.releasedToRing', details };
  }
  if (currentRevision === null) return { action: 'revision.released', details: { revision } };
  const action = revision < currentRevision ? 'revision.rolledBack' : 'revision.released';
  return { action, details: { revision, previousRevision: currentRevision } };
}

/** The scope of a revision that is no longer staged; undefined where there is no such revision. */
async function markReleased(
  transaction: Database,
  moduleId: string,
  revision: number,
): Promise<string | null | undefined> {
  const rows = await queryRows<{ scope: string | null }>(
    transaction,
    `update module_revisions set released_at = coalesce(released_at, now())
     where module_id = :moduleId and revision = :revision returning descriptor ->> 'scope' as scope`,
    { moduleId, revision },
  );
  return rows[0]?.scope;
}

/** Writes down which revisions have previewers, and what follows for those who see another revision than before. */
async function checkVisible(transaction: Database, before: ModuleModel): Promise<void> {
  const { id, currentRevision, ringRevision, previewedRevisions } = before;
  await transaction.raw(
    `update modules set previewed_revisions = array(
       select distinct revision from revision_previewers where module_id = modules.id order by 1) where id = :id`,
    { id },
  );
  const seen = [currentRevision, ringRevision, ...previewedRevisions].filter((each) => each !== null);
  await applyVisibleRevisions(transaction, id, seen);
}

/** The result of a request to name the previewers of a revision. */
export type PreviewOutcome = 'changed' | 'missing' | 'released';

/** Sets who sees a staged revision; those who are not named see it no longer. */
export async function setPreviewers(
  database: Database,
  key: ModuleKey,
  revision: number,
  organizationIds: readonly string[],
  actor: Actor,
): Promise<PreviewOutcome> {
  const { moduleId } = key;
  const outcome = await changeModule(database, key, async (transaction, module): Promise<PreviewOutcome> => {
    const found = await transaction('module_revisions')
      .where({ moduleId, revision })
      .first<{ releasedAt: Date | null } | undefined>('releasedAt');
    if (found === undefined) return 'missing';
    if (found.releasedAt !== null) return 'released';
    await transaction('revision_previewers').where({ moduleId, revision }).delete();
    await transaction.raw(
      `insert into revision_previewers (module_id, revision, organization_id)
       select distinct :moduleId::uuid, :revision::int, id from unnest(:organizationIds::uuid[]) as id`,
      { moduleId, revision, organizationIds: [...organizationIds] },
    );
    await checkVisible(transaction, module);
    const details = { revision, organizationIds };
    await writeAudit(transaction, actor, { ...key, action: 'revision.previewersChanged', details });
    return 'changed';
  });
  return outcome ?? 'missing';
}
