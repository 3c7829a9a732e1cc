import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import type { StoredDescriptor } from '../../package/descriptor/descriptor.ts';
import type { RolesEntities } from '../../package/roles/roles-entities.ts';
import { LOGOS, TRANSLATED_NAMES, type ModuleLogo, type TranslatedName } from './available-modules.ts';
import type { Database } from '../database.ts';
import { LOCATED_FILE, type LocatedFile, type RevisionFile } from './located-file.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { ModuleModel, ownModule, type ModuleKey } from './models.ts';
import { isQuarantined, QUARANTINE_COLUMNS, type QuarantinedModule } from './quarantine-state.ts';
import type { ImportStatus } from '../imports/models.ts';
import type { Row } from '../rows.ts';
import { SCOPE_COLUMN, type ScopeColumn } from './scopes.ts';
import { preparedStatement, queryRow, queryRows } from '../statement.ts';
import { newestRevision, shownRevision } from './visible-revision.ts';

/** One revision of a module, whole. */
export interface ModuleRevision {
  readonly id: string;
  readonly revision: number;
  /** The one released to everyone; null: none. */
  readonly currentRevision: number | null;
  /** The newest that is kept. */
  readonly newestRevision: number;
  readonly importId: string;
  readonly descriptor: StoredDescriptor;
  readonly roles: RolesEntities | null;
  readonly alertRules: AlertRules | null;
  readonly files: readonly RevisionFile[];
  readonly createdAt: Date;
  readonly revisedAt: Date;
}

interface ListedParts {
  readonly translations: readonly TranslatedName[];
  readonly logos: readonly ModuleLogo[];
  /** The newest import of the module that did not only validate; null once its row is deleted. */
  readonly lastImportId: string | null;
  readonly lastImportStatus: ImportStatus | null;
  readonly lastImportAt: Date | null;
}

export type ListedModule = QuarantinedModule & ScopeColumn & ListedParts;

/** An organization's modules, newest first, each with its names, logos and last import. */
export async function listModules(
  database: Database,
  organizationId: string,
  page: PageRequest,
): Promise<Page<ListedModule>> {
  const shown = database.raw(
    // The module's own column is the number given last: its revision may have been deleted.
    `(select ${TRANSLATED_NAMES}, ${LOGOS}, ${newestRevision('modules')} as newest_revision
      from module_revisions r where r.module_id = modules.id and r.revision = ${shownRevision('modules')}) as shown`,
  );
  const last = database.raw(
    `(select i.id as last_import_id, i.status as last_import_status, i.created_at as last_import_at
      from imports i where i.module_id = modules.id and not i.validate_only
      order by i.acceptance_order desc limit 1) as last_import`,
  );
  const query = ModuleModel.query(database)
    .select(
      'modules.*',
      database.raw(QUARANTINE_COLUMNS),
      database.raw(SCOPE_COLUMN),
      'shown.*',
      'last_import.*',
    )
    .joinRaw('cross join lateral ? left join lateral ? on true', [shown, last])
    .where({ organizationId })
    .whereNull('deletedAt');
  const { rows, next } = await keysetPage(query, page);
  return { rows: rows as ListedModule[], next };
}

/** The most files that are read at once: their JSON is parsed on the event loop. */
export const FILES_AT_ONCE = 1_000;

const FILE_OBJECT = `jsonb_build_object('path', f.path, 'sizeBytes', f.size_bytes, 'mediaType', f.media_type,
  'sha256', encode(f.sha256, 'hex'))`;

/**
 * A revision with its first files in one statement: the old one or the new one, never a mixture. Null where there is
 * none.
 */
export async function findRevision(
  database: Database,
  { organizationId, moduleId }: ModuleKey,
  revision: number | null,
): Promise<ModuleRevision | null> {
  return queryRow<ModuleRevision>(
    database,
    `select m.id, m.current_revision, ${newestRevision('m')} as newest_revision, m.created_at, r.revision, r.import_id, r.descriptor, r.roles, r.alert_rules,
       r.created_at as revised_at,
       (select coalesce(jsonb_agg(file), '[]') from (
          select ${FILE_OBJECT} as file from module_files f where f.module_id = r.module_id and f.revision = r.revision
          order by f.path limit ${FILES_AT_ONCE}) as first_files) as files
     from modules m join module_revisions r on r.module_id = m.id and r.revision = coalesce(:revision::int, ${shownRevision('m')})
     where m.id = :moduleId and m.organization_id = :organizationId and m.deleted_at is null`,
    { moduleId, organizationId, revision },
  );
}

/**
 * The next files of a revision, which never changes, after this path.
 * @throws Error where it has been deleted meanwhile: its files would seem to end
 */
export async function findMoreFiles(
  database: Database,
  { id, revision }: Pick<ModuleRevision, 'id' | 'revision'>,
  after: string,
): Promise<readonly RevisionFile[]> {
  const rows = await queryRows<{ file: RevisionFile | null }>(
    database,
    `select case when f.path is not null then ${FILE_OBJECT} end as file
     from module_revisions r
       left join module_files f on f.module_id = r.module_id and f.revision = r.revision and f.path > :after
     where r.module_id = :id and r.revision = :revision order by f.path limit ${FILES_AT_ONCE}`,
    { id, revision, after },
  );
  if (rows.length === 0)
    throw new Error(`revision ${revision} of module ${id} was deleted while it was read`);
  return rows.flatMap(({ file }) => (file === null ? [] : [file]));
}

/** A revision as the list of revisions shows it. */
export interface RevisionSummary extends Readonly<
  Pick<Row<'module_revisions'>, 'revision' | 'importId' | 'createdAt' | 'releasedAt' | 'becameCurrentAt'>
> {
  readonly files: number;
  readonly sizeBytes: number;
}

/** Revisions of a module below `before`, newest first; null where there is no such module. */
export async function listRevisions(
  database: Database,
  key: ModuleKey,
  before: number | null,
  limit: number,
): Promise<readonly RevisionSummary[] | null> {
  if ((await ownModule(database, key)) === undefined) return null;
  return queryRows<RevisionSummary>(
    database,
    `select r.revision, r.import_id, r.created_at, r.released_at, r.became_current_at, count(f.path) as files,
       coalesce(sum(f.size_bytes), 0)::bigint as size_bytes
     from module_revisions r left join module_files f on f.module_id = r.module_id and f.revision = r.revision
     where r.module_id = :moduleId and r.organization_id = :organizationId and (:before::int is null or r.revision < :before)
     group by r.module_id, r.revision order by r.revision desc limit :limit`,
    { ...key, before, limit },
  );
}

const FILE = preparedStatement(
  `select ${LOCATED_FILE}
   from modules m
   join module_revisions r on r.module_id = m.id and r.revision = coalesce(:revision::int, ${shownRevision('m')})
   join module_files f on f.module_id = r.module_id and f.revision = r.revision
   where m.id = :moduleId and m.organization_id = :organizationId and m.deleted_at is null and not ${isQuarantined('m')}
     and f.path = :path`,
);

/** A file of a revision by its path, unless its module is in quarantine; where none is named, of the revision that vendors are shown. */
export async function findModuleFile(
  database: Database,
  { organizationId, moduleId }: ModuleKey,
  path: string,
  revision: number | null,
): Promise<LocatedFile | null> {
  return queryRow<LocatedFile>(database, FILE, { moduleId, organizationId, revision, path });
}
