import type { ProblemLists } from '../../package/problem.ts';
import { auditInsert } from '../access/audit-log.ts';
import { changesInsert } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { preparedStatement, queryRows, queryUnlocked, type StatementValues } from '../statement.ts';
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

const startWhere = (locks: string) =>
  preparedStatement(`
  update imports set status = 'running', run_id = attempt.new_run_id, started_at = coalesce(started_at, now()),
    finished_at = null, errors = '[]', errors_total = 0, progress_step = 'reading', progress_completed = 0,
    progress_total = 0, version = version + 1, updated_at = now()
  from unnest(:importIds::uuid[], :retries::int[], :runIds::uuid[]) as attempt (import_id, of_retries, new_run_id)
  where id = attempt.import_id and retries = attempt.of_retries and status in ('queued', 'running')
    and not exists (select from organizations o where o.id = organization_id and o.deleted_at is not null)
    and not ${isSuspended('imports.organization_id')} ${locks}
  returning imports.*`);
const START = startWhere('');
/** Refused where another transaction has locked one of the rows: none waits for what another one waits for. */
const START_SEVERAL = startWhere(
  'and id in (select i.id from imports i where i.id = any(:importIds::uuid[]) for no key update nowait)',
);

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
  const rows =
    attempts.length === 1
      ? await queryRows<RunningImport>(database, START, values)
      : await queryUnlocked<RunningImport>(database, START_SEVERAL, values);
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

/**
 * The SQL that ends an import, unless another attempt runs it: a statement, or the part of one that also writes the
 * revision, which takes the archive. Its values are `endValues`.
 */
export function endOfImport(also: { readonly set: string; readonly where: string } | null): string {
  return `
    update imports set status = :status::text, outcome = :outcome, module_id = :moduleId::uuid,
      revision = :revision::int, released = :released::boolean,
      named_module_id = case when :status::text = 'rejected' then :namedModuleId::uuid else named_module_id end,
      errors = :errors::jsonb, warnings = :warnings::jsonb, errors_total = :errorsTotal::int,
      unlisted_errors = :unlistedErrors::jsonb,
      -- The last progress shows that nothing is left to do.
      progress_step = 'writing', progress_completed = 1, progress_total = 1,
      finished_at = now(), updated_at = now(), version = version + 1${also === null ? '' : `, ${also.set}`}
    where id = :importId::uuid and run_id = :runId::uuid and status = 'running' ${also === null ? '' : `and ${also.where}`}`;
}

const REJECTED = { outcome: null, moduleId: null, revision: null, released: true };

export function endValues({ id: importId, runId }: RunKey, { lists, ...end }: ImportEnd): StatementValues {
  const [errors, warnings] = [JSON.stringify(lists.errors), JSON.stringify(lists.warnings)];
  const { errorsTotal } = lists;
  const unlistedErrors = JSON.stringify(lists.unlistedErrors);
  const result = { errors, warnings, errorsTotal, unlistedErrors };
  return { ...REJECTED, namedModuleId: null, ...end, importId, runId, ...result };
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

const END = preparedStatement(`
  with ended as (${endOfImport(null)} returning *), notified as (${ENDED_RECORDED})
  select id from ended`);

const END_UNAUTHORIZED = preparedStatement(`
  with ended as (${endOfImport(null)} returning *), notified as (${ENDED_RECORDED}), recorded as (${auditInsert(
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
  return (
    (await queryRows(database, isUnauthorized ? END_UNAUTHORIZED : END, endValues(run, end))).length === 1
  );
}
