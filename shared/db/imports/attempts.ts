import type { ProblemLists } from '../../package/problem.ts';
import { auditInsert } from '../access/audit-log.ts';
import { changesInsert } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { LOCK_LIMIT, preparedStatement, queryRows, queryTogether } from '../statement.ts';
import type { RunningImport } from '../modules/registry-state.ts';
import { isSuspended } from '../access/suspension-state.ts';
import { OPERATOR_OWNER } from '../webhooks/operator-owner.ts';
import { ImportModel, nextVersion, type ImportOutcome, type ImportStep } from './models.ts';

/** Imports that one job runs beside each other, once. An import that has to run again has a job of its own. */
export interface ImportGroup {
  readonly groupId: string;
  readonly importIds: readonly string[];
}

/** The one job that may run an import: each of an operator's retries has its own. */
export interface ImportJob {
  readonly importId: string;
  /** 0: the job of the upload. */
  readonly retries: number;
}

/** An attempt that is to start. */
export interface NewAttempt extends ImportJob {
  readonly runId: string;
}

/** The lists are queries of their own: PostgreSQL would otherwise plan each start anew, for the length of its lists. */
const START = preparedStatement(`
  with attempt as materialized (
    select *, ${LOCK_LIMIT}
    from unnest((select :importIds::uuid[]), (select :retries::int[]), (select :runIds::uuid[]))
      as attempt (import_id, of_retries, new_run_id)
  )
  update imports set status = 'running', run_id = attempt.new_run_id, started_at = coalesce(started_at, now()),
    finished_at = null, errors = '[]', errors_total = 0, progress_step = 'reading', progress_completed = 0,
    progress_total = 0, version = version + 1, updated_at = now()
  from attempt
  where id = attempt.import_id and retries = attempt.of_retries and status in ('queued', 'running')
    and not exists (select from organizations o where o.id = organization_id and o.deleted_at is not null)
    and not ${isSuspended('imports.organization_id')}
  returning imports.*`);

/**
 * Starts attempts, in the same order: from now on only the `runId` of each may end its import. Null where the import is
 * unknown or has ended, the job is of an earlier retry, or the organization was deleted or is suspended.
 */
export async function startImports(
  database: Database,
  attempts: readonly NewAttempt[],
): Promise<readonly (RunningImport | null)[]> {
  const values = {
    importIds: attempts.map(({ importId }) => importId),
    retries: attempts.map(({ retries }) => retries),
    runIds: attempts.map(({ runId }) => runId),
  };
  const rows = await queryTogether<RunningImport>(database, START, values, attempts.length);
  const runs = new Map(rows.map((row) => [row.runId, row]));
  return attempts.map(({ runId }) => runs.get(runId) ?? null);
}

/**
 * Returns an import to those that wait: its organization was suspended before it was written. Its time starts anew with
 * its next attempt. Changes nothing when another attempt has taken it over.
 */
export async function returnToQueue(database: Database, { id, runId }: RunKey): Promise<void> {
  await ImportModel.query(database)
    .where({ id, runId, status: 'running' })
    .patch({
      ...nextVersion(database),
      ...{ status: 'queued', runId: null, startedAt: null },
      ...{ progressStep: 'queued', progressCompleted: 0, progressTotal: 0 },
    });
}

/** How far a step is: `checking` counts bytes. */
export interface ImportProgress {
  readonly step: ImportStep;
  readonly completed: number;
  readonly total: number;
}

/** The one attempt that may write to the row. */
export interface RunKey {
  readonly id: string;
  readonly runId: string;
}

/** Records how far a running import is; changes nothing when another attempt has taken it over. */
export async function recordProgress(
  database: Database,
  { id, runId }: RunKey,
  progress: ImportProgress,
): Promise<void> {
  await ImportModel.query(database)
    .where({ id, runId, status: 'running' })
    .patch({
      ...nextVersion(database),
      progressStep: progress.step,
      progressCompleted: progress.completed,
      progressTotal: progress.total,
    });
}

export interface SucceededImport {
  readonly status: 'succeeded';
  readonly outcome: ImportOutcome;
  /** Null where validateOnly would have made a new module. */
  readonly moduleId: string | null;
  readonly revision: number;
  /** Whether the revision is the one released to everyone. */
  readonly released: boolean;
  readonly lists: ProblemLists;
}

export interface RejectedImport {
  readonly status: 'rejected';
  /** Whether the authority for the import was withdrawn. */
  readonly isUnauthorized?: boolean;
  /** The module that the package named, if that could be read. */
  readonly namedModuleId: string | null;
  readonly lists: ProblemLists;
}

export type ImportEnd = SucceededImport | RejectedImport;

/** The columns of how imports end, for `endOfImports`. */
export const END_COLUMNS = `"importId" uuid, "runId" uuid, "status" text, "outcome" text, "moduleId" uuid, "revision" int,
      "released" boolean, "namedModuleId" uuid, "errors" jsonb, "warnings" jsonb, "errorsTotal" int, "unlistedErrors" jsonb`;

/**
 * The SQL that ends the imports of `given`, which has `END_COLUMNS`, unless other attempts run them: a statement, or the part
 * of one that also writes their revisions, which take the archives.
 */
export function endOfImports(also: { readonly set: string; readonly where: string } | null): string {
  return `
    update imports set status = given.status, outcome = given.outcome, module_id = given."moduleId",
      revision = given.revision, released = given.released,
      named_module_id = case when given.status = 'rejected' then given."namedModuleId" else named_module_id end,
      errors = given.errors, warnings = given.warnings, errors_total = given."errorsTotal",
      unlisted_errors = given."unlistedErrors",
      -- The last progress shows that nothing is left to do.
      progress_step = 'writing', progress_completed = 1, progress_total = 1,
      finished_at = now(), updated_at = now(), version = version + 1${also === null ? '' : `, ${also.set}`}
    from given
    where id = given."importId" and run_id = given."runId" and imports.status = 'running'
      ${also === null ? '' : `and ${also.where}`}`;
}

const REJECTED = { outcome: null, moduleId: null, revision: null, released: true };

/** The values of `END_COLUMNS`. */
export function endRow({ id: importId, runId }: RunKey, { lists, ...end }: ImportEnd) {
  return { ...REJECTED, namedModuleId: null, ...end, importId, runId, ...lists };
}

/** What `import.ended` names, of columns of an import. */
export const ENDED_SUBJECT = {
  importId: 'id',
  status: 'status',
  outcome: 'outcome',
  moduleId: 'module_id',
  revision: 'revision',
};

/**
 * The SQL that records the end of the imports of `ended`, a part of the statement that ends them. An import that named no
 * module of its organization is in no module's feed: only the operator is notified of it. One that only validated has
 * changed nothing.
 */
export const ENDED_RECORDED = changesInsert(
  "'import.ended'",
  `(select ended.id, ended.status, ended.outcome, ended.revision, m.id as module_id,
      coalesce(m.id, '${OPERATOR_OWNER.moduleId}') as notified_id,
      case when m.id is null then ended.organization_id end as vendor_id
    from ended left join modules m on m.id = coalesce(ended.module_id, ended.named_module_id)
      and m.organization_id = ended.organization_id and m.deleted_at is null
    where not ended.validate_only and ended.finished_at is not null) as of_module`,
  { moduleId: 'notified_id', organizationId: 'vendor_id', subject: ENDED_SUBJECT },
);

const GIVEN = `given as (select * from jsonb_to_record(:end::jsonb) as row (${END_COLUMNS}))`;

const END = preparedStatement(`
  with ${GIVEN}, ended as (${endOfImports(null)} returning imports.*), notified as (${ENDED_RECORDED})
  select id from ended`);

const END_UNAUTHORIZED = preparedStatement(`
  with ${GIVEN}, ended as (${endOfImports(null)} returning imports.*), notified as (${ENDED_RECORDED}), recorded as (${auditInsert(
    'import.refused',
    'ended',
    {
      ...{ actor: "'service'", actorName: 'null', authority: '\'{"kind": "token"}\'::jsonb' },
      ...{ traceId: 'trace_id', targetId: 'id', targetName: 'file_name' },
    },
  )})
  select id from ended`);

/** Writes an import's end. False when another attempt has taken it over: then nothing may be committed. */
export async function endImport(database: Database, run: RunKey, end: ImportEnd): Promise<boolean> {
  const isUnauthorized = end.status === 'rejected' && end.isUnauthorized === true;
  const statement = isUnauthorized ? END_UNAUTHORIZED : END;
  return (await queryRows(database, statement, { end: JSON.stringify(endRow(run, end)) })).length === 1;
}
