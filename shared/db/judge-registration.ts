import type { PackageSubject } from '../package/check-package.ts';
import type { Translation } from '../package/descriptor.ts';
import { DESCRIPTOR_PATH } from '../package/layout.ts';
import { problem } from '../package/problem.ts';
import type { Problem } from '../package/problem.ts';
import type { Database } from './database.ts';

/** The import whose package is judged, in the attempt that may end it. */
export interface RunningImport {
  readonly id: string;
  readonly runId: string;
  readonly organizationId: string;
  readonly tenantId: string;
  readonly newModuleId: string;
  readonly validateOnly: boolean;
  readonly expectedRevisions: readonly number[] | null;
  readonly createdAt: Date;
  /** When it failed before an operator retried it. */
  readonly failedAt: Date | null;
  readonly maxReportedProblems: number;
}

/** A module as its current revision has it. */
export interface ModuleState {
  readonly revision: number;
  readonly translations: readonly Translation[];
  readonly fingerprint: Buffer;
  /** The folders in which it has files. */
  readonly folders: readonly string[];
}

/** What the registry says to a package: problems, or the module as it is (null: a new one). */
export interface Judgement {
  readonly problems: readonly Problem[];
  readonly current: ModuleState | null;
  /** The last revision that the module had, before it was deleted too; 0 where there never was one. */
  readonly lastRevision: number;
}

/** The problem of a scope that another module of the tenant has. */
export const SCOPE_TAKEN = problem(
  'registry-scope-taken',
  'The scope is taken by another module. Choose another one.',
  { entry: DESCRIPTOR_PATH, pointer: '/scope' },
);

const ID_NOT_ALLOWED = problem(
  'registry-module-id-not-allowed',
  'This moduleId cannot be used. Leave it out to get a new one, or use the ID of a module of your own.',
  { entry: DESCRIPTOR_PATH, pointer: '/moduleId' },
);

const SUPERSEDED = problem(
  'registry-superseded',
  'The import failed at first, and a later import of the module has succeeded since. Upload the package again if it is still wanted.',
);

/** Serialises imports of one module until the transaction ends, also where the module is not there yet. */
export async function lockModule(transaction: Database, moduleId: string): Promise<void> {
  await transaction.raw("select pg_advisory_xact_lock(hashtextextended('module ' || ?, 0))", [moduleId]);
}

interface ModuleRow extends ModuleState {
  readonly organizationId: string;
  readonly deletedAt: Date | null;
}

/** Judges a package by the rules that need the database. */
export async function judgeRegistration(
  database: Database,
  run: RunningImport,
  subject: PackageSubject,
): Promise<Judgement> {
  const row = subject.moduleId === null ? null : await findModule(database, subject.moduleId);
  const isForeign = row !== null && row.organizationId !== run.organizationId;
  const current = row === null || isForeign || row.deletedAt !== null ? null : row;
  const problems: Problem[] = [];
  if (isForeign) problems.push(ID_NOT_ALLOWED);
  if (await isScopeTaken(database, run.tenantId, subject)) problems.push(SCOPE_TAKEN);
  if (!isForeign) problems.push(...revisionProblems(run, current));
  if (current !== null && (await isSuperseded(database, run, subject.moduleId))) problems.push(SUPERSEDED);
  return { problems, current, lastRevision: row?.revision ?? 0 };
}

async function findModule(database: Database, moduleId: string): Promise<ModuleRow | null> {
  const result = await database.raw<{ rows: ModuleRow[] }>(
    `select m.organization_id, m.deleted_at, r.revision, r.fingerprint, r.descriptor -> 'translations' as translations,
       array(select distinct split_part(f.path, '/', 1) from module_files f
             where f.module_id = r.module_id and f.revision = r.revision order by 1) as folders
     from modules m join module_revisions r on r.module_id = m.id and r.revision = m.current_revision
     where m.id = ?`,
    [moduleId],
  );
  return result.rows[0] ?? null;
}

async function isScopeTaken(
  database: Database,
  tenantId: string,
  { scope, moduleId }: PackageSubject,
): Promise<boolean> {
  if (scope === null) return false;
  const holder = await database('modules')
    .where({ tenantId, scope })
    .whereNull('deletedAt')
    .first<{ id: string } | undefined>('id');
  return holder !== undefined && holder.id !== moduleId;
}

function revisionProblems({ expectedRevisions }: RunningImport, current: ModuleState | null): Problem[] {
  if (expectedRevisions === null) return [];
  // An empty list is `If-Match: *`: the module must be there, in whatever revision.
  if (current !== null && (expectedRevisions.length === 0 || expectedRevisions.includes(current.revision)))
    return [];
  const found =
    current === null ? 'there is no such module' : `the module is at revision ${current.revision}`;
  return [problem('registry-revision-changed', `If-Match asks for another revision: ${found}.`)];
}

/** Only an import that failed and was retried can be overtaken; others take their turn. */
async function isSuperseded(
  database: Database,
  run: RunningImport,
  moduleId: string | null,
): Promise<boolean> {
  if (run.failedAt === null) return false;
  const later = await database('imports')
    .where({ moduleId, status: 'succeeded', validateOnly: false })
    .where('createdAt', '>', run.createdAt)
    .first<{ id: string } | undefined>('id');
  return later !== undefined;
}
