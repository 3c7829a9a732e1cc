import type { Actor } from '../access/audit-log.ts';
import type { StoredDescriptor } from '../../package/descriptor/descriptor.ts';
import type { Database } from '../database.ts';
import { ownModule, RevisionChangedError, type ModuleModel, type ModuleKey } from './models.ts';
import { noteBehind } from './recheck-dependents.ts';
import { lockModule } from './registry-state.ts';
import { QUARANTINE_COLUMNS, type QuarantinedModule } from './quarantine-state.ts';
import { followVisibleTexts } from './search-texts.ts';
import { reserveScope, takeScope } from './scopes.ts';
import { endOfRing, newestRevision } from './visible-revision.ts';
import type { Row } from '../rows.ts';
import { queryRow } from '../statement.ts';

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
  readonly module: QuarantinedModule;
  readonly previews: readonly Preview[];
}

export type RevisionRecord = Pick<
  Row<'module_revisions'>,
  'revision' | 'importId' | 'importedBy' | 'archiveBytes' | 'createdAt' | 'releasedAt'
> & {
  /** Lower-case hex. */
  readonly archiveSha256: string;
};

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
  const found = (await ownModule(database, key).select(
    'modules.*',
    database.raw(QUARANTINE_COLUMNS),
    previews,
  )) as (QuarantinedModule & { readonly previews: readonly Preview[] }) | undefined;
  return found === undefined ? null : { module: found, previews: found.previews };
}

/**
 * Requires that the newest revision of a locked module is one of these; null or empty: any.
 * @throws RevisionChangedError
 */
export async function requireRevision(
  transaction: Database,
  { organizationId, moduleId }: ModuleKey,
  expected: readonly number[] | null,
): Promise<void> {
  if (expected === null || expected.length === 0) return;
  const newest = transaction.raw(`${newestRevision('modules')} as revision`);
  const found = await transaction('modules')
    .where({ id: moduleId, organizationId })
    .whereNull('deletedAt')
    .first<{ revision: number } | undefined>(newest);
  if (found !== undefined && !expected.includes(found.revision))
    throw new RevisionChangedError(found.revision);
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

/** The texts of a staged revision, and those of its files whose SHA-256 is one of these; null: it is not staged. */
export async function findStagedContent(
  transaction: Database,
  moduleId: string,
  revision: number,
  sha256s: readonly string[],
): Promise<StagedContent | null> {
  return queryRow<StagedContent>(
    transaction,
    `select r.descriptor -> 'translations' as translations,
       coalesce((select jsonb_agg(jsonb_build_object('path', f.path, 'sha256', encode(f.sha256, 'hex')) order by f.path)
         from module_files f where f.module_id = r.module_id and f.revision = r.revision
           and f.sha256 = any(:sha256s::bytea[])), '[]') as files
     from module_revisions r
     where r.module_id = :moduleId and r.revision = :revision and r.released_at is null`,
    { moduleId, revision, sha256s: sha256s.map((each) => Buffer.from(each, 'hex')) },
  );
}

interface StagedContent {
  readonly translations: StoredDescriptor['translations'];
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
}

const RELEASE = `
  with module as (
    update modules set current_revision = :revision, ${endOfRing('true')},
      release_decided_at_import = newest_import(), updated_at = now()
    where id = :moduleId returning id as module_id, tenant_id, organization_id, :scope::text as scope
  ), ${takeScope('module')} select`;
const RELEASE_TO_RING = `
  update modules set ring_revision = :revision, ring_organization_ids = :organizationIds::uuid[], ring_percent = :percent,
    release_decided_at_import = newest_import(), updated_at = now()
  where id = :moduleId`;

/**
 * Makes a revision visible to everyone, or to a ring; false where there is no such revision. To everyone ends the ring,
 * and the previews of this revision and older ones.
 */
export async function writeRelease(
  transaction: Database,
  moduleId: string,
  revision: number,
  ring: Ring | null,
  actor: Actor,
): Promise<boolean> {
  const row = await queryRow<{ scope: string | null }>(
    transaction,
    `update module_revisions set released_at = coalesce(released_at, now()),
       became_current_at = case when :isForAll then now() else became_current_at end
     where module_id = :moduleId and revision = :revision returning descriptor ->> 'scope' as scope`,
    { moduleId, revision, isForAll: ring === null },
  );
  if (row === null) return false;
  const ended = transaction('revision_previewers').where({ moduleId });
  await ended.where('revision', ring === null ? '<=' : '=', revision).delete();
  if (ring === null) await transaction.raw(RELEASE, { moduleId, revision, ...row, ...actor });
  else await transaction.raw(RELEASE_TO_RING, { moduleId, revision, ...ring });
  await noteVisible(transaction, moduleId);
  return true;
}

/** Sets who previews a staged revision, or returns why that is not possible. */
export async function writePreviewers(
  transaction: Database,
  moduleId: string,
  revision: number,
  organizationIds: readonly string[],
): Promise<'changed' | 'missing' | 'released' | 'scope-taken'> {
  const found = await transaction('module_revisions')
    .where({ moduleId, revision })
    .first<Pick<Row<'module_revisions'>, 'releasedAt'> | undefined>('releasedAt');
  if (found === undefined) return 'missing';
  if (found.releasedAt !== null) return 'released';
  if (organizationIds.length > 0 && !(await reserveScope(transaction, moduleId, revision)))
    return 'scope-taken';
  await transaction('revision_previewers').where({ moduleId, revision }).delete();
  await transaction.raw(
    `insert into revision_previewers (module_id, revision, organization_id)
     select distinct :moduleId::uuid, :revision::int, id from unnest(:organizationIds::uuid[]) as id`,
    { moduleId, revision, organizationIds: [...organizationIds] },
  );
  await noteVisible(transaction, moduleId);
  return 'changed';
}

/**
 * The module's row says which revisions have previewers, the search finds what is visible, and a note says that what
 * depends on it may be behind.
 */
async function noteVisible(transaction: Database, moduleId: string): Promise<void> {
  await transaction.raw(
    `with changed as (
       update modules set previewed_revisions = array(
         select distinct revision from revision_previewers where module_id = modules.id order by 1)
       where id = :moduleId returning id as module_id
     ) ${noteBehind('changed')}`,
    { moduleId },
  );
  await followVisibleTexts(transaction, [moduleId]);
}
