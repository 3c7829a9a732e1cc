import { auditInsert, type Actor } from '../access/audit-log.ts';
import type { AuditAction } from '../access/models.ts';
import { changesInsert, installationsChanged } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { ModuleModel } from './models.ts';
import { releaseHeld } from '../webhooks/deliveries.ts';
import { queryRow } from '../statement.ts';
import { QUARANTINE_COLUMNS, type QuarantinedModule } from './quarantine-state.ts';
import { NAMES_VECTOR, prefixQuery } from './search-texts.ts';
import { SCOPE_COLUMN, scopeOf, type ScopeColumn } from './scopes.ts';
import { newestRevision, shownRevision } from './visible-revision.ts';

/*
 * One statement each, which waits for nobody: it locks nothing that an import, a release or a deletion of the module
 * holds. The vendor's audit log shows who it was.
 */
const entryOf = (action: AuditAction) =>
  auditInsert(action, 'changed', {
    moduleId: 'id',
    details:
      "case when quarantine_reason is not null then jsonb_build_object('reason', quarantine_reason) end",
  });

/** The SQL of the names of a module and its vendor; a deleted module has no name of its own. */
function namesOf(module: string): string {
  return `(select r.name from module_revisions r where r.module_id = ${module}.id
      and r.revision = ${shownRevision(module)}) as name,
    (select o.name from organizations o where o.id = ${module}.organization_id) as organization_name`;
}

const CHANGED = `select m.*, ${scopeOf('m')} as scope, ${namesOf('m')}, q.quarantined_at, q.quarantine_reason from quarantined q join modules m on m.id = q.module_id`;

const START = `
  with quarantined as (
    insert into quarantines as q (module_id, quarantined_at, quarantine_reason, decided_at_import)
    select id, now(), :reason, newest_import() from modules where id = :moduleId and deleted_at is null
    on conflict (module_id) do update set quarantined_at = coalesce(q.quarantined_at, excluded.quarantined_at),
      quarantine_reason = excluded.quarantine_reason, decided_at_import = excluded.decided_at_import
    returning *
  ), changed as (${CHANGED}
  ), recorded as (${entryOf('module.quarantined')}),
  -- A quarantine that goes on with another reason has had its event.
  notified as (${changesInsert(
    "'module.quarantined'",
    '(select * from changed where quarantined_at = now()::timestamptz(3)) as started',
    { moduleId: 'id', organizationId: 'null' },
  )})
  select * from changed`;

const END = `
  with quarantined as (
    update quarantines set quarantined_at = null, quarantine_reason = null
    where module_id = :moduleId and quarantined_at is not null returning *
  ), changed as (${CHANGED}
  ), released as (${releaseHeld('w.module_id in (select id from changed)')}),
  -- Nobody read during the quarantine: each back end reads anew.
  seen as (select i.* from changed join installations i on i.module_id = changed.id),
  notified as (${installationsChanged('seen')}),
  ended as (${changesInsert("'module.quarantineEnded'", 'changed', { moduleId: 'id', organizationId: 'null' })})
  ${entryOf('module.quarantineEnded')}`;

/** A module as operators see it. */
export type OperatedModule = QuarantinedModule &
  ScopeColumn & { readonly name: string | null; readonly organizationName: string };

/** Puts a module into quarantine, or gives another reason; null where there is no such module. */
export async function quarantineModule(database: Database, moduleId: string, reason: string, actor: Actor) {
  return queryRow<OperatedModule>(database, START, { moduleId, reason, ...actor });
}

/** Ends a quarantine; false where the module is in none. */
export async function endQuarantine(database: Database, moduleId: string, actor: Actor): Promise<boolean> {
  const { rowCount } = await database.raw<{ rowCount: number }>(END, { moduleId, ...actor });
  return rowCount > 0;
}

/** The modules that somebody may know: those of a vendor, or those of a tenant. */
export type KnownModules = { readonly organizationId: string } | { readonly tenantId: string };

/** Why a module is in quarantine; null: it is not, or it is not among those that are known. */
export async function findQuarantineReason(database: Database, moduleId: string, known: KnownModules) {
  const found = await ModuleModel.query(database)
    .select(database.raw(QUARANTINE_COLUMNS))
    .findById(moduleId)
    .where(known)
    .whereNull('deletedAt');
  return (found as QuarantinedModule | undefined)?.quarantineReason ?? null;
}

/** What operators look for among the modules of all organizations; null: any. */
export interface ModuleSearch {
  readonly id: string | null;
  /** Words of names, or their beginnings: all of them must be there. */
  readonly words: readonly string[] | null;
  readonly isQuarantined: boolean;
}

/**
 * A subquery keeps the plan from depending on the words. The index has names and descriptions of what somebody sees; a
 * module that was never released has the names of its newest revision.
 */
const NAMED = `id in (
  with search as (select to_tsquery('simple', :words) as sought)
  select module_id from search_texts, search where words @@ sought and names @@ sought
  union all
  select m.id from modules m join module_revisions r on r.module_id = m.id and r.revision = ${newestRevision('m')}, search
  where m.current_revision is null and m.deleted_at is null and ${NAMES_VECTOR} @@ sought)`;

/** The modules of all organizations that match, newest modules first. One in quarantine is listed after its deletion too. */
export async function searchModules(
  database: Database,
  { id, words, isQuarantined }: ModuleSearch,
  page: PageRequest,
): Promise<Page<OperatedModule>> {
  const query = ModuleModel.query(database).select(
    'modules.*',
    database.raw([QUARANTINE_COLUMNS, SCOPE_COLUMN, namesOf('modules')].join(', ')),
  );
  if (isQuarantined)
    void query.whereRaw('id in (select module_id from quarantines where quarantined_at is not null)');
  else void query.whereNull('deletedAt');
  if (id !== null) void query.where({ id });
  else if (words !== null) void query.whereRaw(NAMED, { words: prefixQuery(words) });
  const { rows, next } = await keysetPage(query, page);
  return { rows: rows as OperatedModule[], next };
}
