import type { ImportEnd, ImportJob, ImportProgress, RunKey } from '../../../shared/db/imports/attempts.ts';
import type { IdempotencyClaim } from '../../../shared/db/idempotency-keys.ts';
import type {
  CreatedImport,
  EndedImport,
  NewImport,
  WatchedImport,
} from '../../../shared/db/imports/imports.ts';
import { addTo, type ArchiveSum, type FreedArchive } from '../../../shared/db/imports/freed-archives.ts';
import type {
  AttemptFailure,
  FailedPart,
  StaleImport,
} from '../../../shared/db/imports/unfinished-imports.ts';
import type { ImportRow } from '../../../shared/db/imports/models.ts';
import type { RunningImport } from '../../../shared/db/modules/registry-state.ts';
import type { KeyRow, Tables } from './tables.ts';

const DAY_MS = 86_400_000;

/** The state of an import at its start. */
const NEW = {
  status: 'queued',
  runId: null,
  retries: 0,
  outcome: null,
  moduleId: null,
  namedModuleId: null,
  revision: null,
  errors: [],
  warnings: [],
  errorsTotal: 0,
  unlistedErrors: [],
  progressStep: 'queued',
  progressCompleted: 0,
  progressTotal: 0,
  version: 1,
  startedAt: null,
  finishedAt: null,
  failedAt: null,
  failure: null,
  publisher: null,
  released: true,
  dismissedAt: null,
} satisfies Partial<ImportRow>;

/** Whether a transaction holds the row: batches skip it. */
type IsLocked = (importId: string) => boolean;

const WRITTEN = { progressStep: 'writing', progressCompleted: 1, progressTotal: 1 } as const;

/**
 * The statements of `shared/db/imports/`, on tables in memory. Each method is one statement, at the time that its
 * transaction started.
 */
export class ImportStatements {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  insert(row: NewImport, now: Date): void {
    const acceptanceOrder = ++this.#tables.acceptanceOrder;
    const times = { createdAt: now, updatedAt: now, queuedAt: now };
    this.#tables.imports.set(row.id, { ...NEW, ...row, acceptanceOrder, ...times });
  }

  #delete(importId: string): void {
    const { imports, keys } = this.#tables;
    for (const each of keys.where((key) => key.importId === importId)) keys.set(keyOf(each), null);
    imports.set(importId, null);
  }

  /** @throws an error as PostgreSQL's where two of the imports have the same key */
  create(rows: readonly NewImport[], now: Date): readonly CreatedImport[] {
    const keys = rows.flatMap((row) => (row.claim === null ? [] : keyOf({ ...row, ...row.claim })));
    if (new Set(keys).size < keys.length)
      throw Object.assign(new Error('ON CONFLICT DO UPDATE cannot affect a row twice'), { code: '21000' });
    return rows.map((row) => this.#create(row, now));
  }

  #create(row: NewImport, now: Date): CreatedImport {
    const { claim } = row;
    const known = claim && this.#claim(row, claim, now);
    if (claim !== null && known !== null)
      return known.fingerprint.equals(claim.fingerprint)
        ? { kind: 'repeated', importId: known.importId }
        : { kind: 'mismatch' };
    this.insert(row, now);
    return { kind: 'created' };
  }

  /** The row of a key that another import has; null: now this import has it. */
  #claim({ id: importId, organizationId }: NewImport, claim: IdempotencyClaim, now: Date): KeyRow | null {
    const { keys } = this.#tables;
    const { key, fingerprint, keepDays } = claim;
    const place = keyOf({ organizationId, key });
    const known = keys.get(place);
    if (known !== null && known.expiresAt >= now) return known;
    const expiresAt = new Date(now.getTime() + keepDays * DAY_MS);
    keys.set(place, { organizationId, key, fingerprint, importId, expiresAt });
    return null;
  }

  dropExpiredKeys(now: Date): number {
    const { keys } = this.#tables;
    const expired = keys.where(({ expiresAt }) => expiresAt < now);
    for (const each of expired) keys.set(keyOf(each), null);
    return expired.length;
  }

  find(organizationId: string | null, importId: string): ImportRow | null {
    const row = this.#tables.imports.get(importId);
    return organizationId === null || row?.organizationId === organizationId ? row : null;
  }

  /** What is notified of an import. */
  message(importId: string): string {
    const row = this.#tables.imports.get(importId);
    return row === null || isUnfinished(row.status) ? importId : JSON.stringify(row satisfies EndedImport);
  }

  findMissing(importIds: readonly string[]): readonly string[] {
    return importIds.filter((id) => this.#tables.imports.get(id) === null);
  }

  findChanged(watched: readonly WatchedImport[]): readonly ImportRow[] {
    const seen = new Map(watched.map(({ id, seenVersion }) => [id, seenVersion]));
    return this.#tables.imports.where(({ id, status, version }) => {
      const seenVersion = seen.get(id);
      if (seenVersion === undefined) return false;
      return !isUnfinished(status) || (seenVersion !== null && version !== seenVersion);
    });
  }

  /** The import that a job may run: it has not ended, and no later retry has a job of its own. */
  runnable({ importId, retries }: ImportJob): ImportRow | null {
    const row = this.#tables.imports.get(importId);
    return row !== null && isUnfinished(row.status) && row.retries === retries ? row : null;
  }

  start(job: ImportJob, runId: string, now: Date): RunningImport | null {
    const row = this.runnable(job);
    if (row === null) return null;
    const startedAt = row.startedAt ?? now;
    return this.#change(row, now, {
      ...{ status: 'running', runId, startedAt, finishedAt: null, errors: [], errorsTotal: 0 },
      ...{ progressStep: 'reading', progressCompleted: 0, progressTotal: 0 },
    }) as RunningImport;
  }

  /** The row of an attempt that may still write. */
  runBy({ id, runId }: RunKey): ImportRow | null {
    const row = this.#tables.imports.get(id);
    return row?.status === 'running' && row.runId === runId ? row : null;
  }

  progress(run: RunKey, { step, completed, total }: ImportProgress, now: Date): void {
    const row = this.runBy(run);
    if (row === null) return;
    this.#change(row, now, { progressStep: step, progressCompleted: completed, progressTotal: total });
  }

  /** `also` changes with it: the archive of a revision is no longer that of its import. */
  end(run: RunKey, end: ImportEnd, now: Date, also: Partial<ImportRow> = {}): boolean {
    const row = this.runBy(run);
    if (row === null) return false;
    const { status, lists } = end;
    const result =
      end.status === 'succeeded'
        ? { outcome: end.outcome, moduleId: end.moduleId, revision: end.revision, released: end.released }
        : { namedModuleId: end.namedModuleId };
    const problems = { errors: [...lists.errors], warnings: [...lists.warnings] };
    const { errorsTotal } = lists;
    const unlistedErrors = [...lists.unlistedErrors];
    const ended = {
      status,
      ...result,
      ...problems,
      errorsTotal,
      unlistedErrors,
      finishedAt: now,
      ...WRITTEN,
    };
    this.#change(row, now, { ...ended, ...also });
    return true;
  }

  cancel(organizationId: string, importId: string, now: Date): boolean {
    const row = this.find(organizationId, importId);
    if (row?.status !== 'queued') return false;
    this.#change(row, now, { status: 'cancelled', finishedAt: now });
    return true;
  }

  recordFailure(
    importId: string,
    part: FailedPart,
    { cause, reason, deadlineSeconds, ...failure }: AttemptFailure,
    now: Date,
  ): 'running' | 'failed' | null {
    const row = this.#tables.imports.get(importId);
    if (row === null || !isUnfinished(row.status)) return null;
    if ('runId' in part ? row.runId !== part.runId : row.retries !== part.retries) return null;
    const lastAt = now.toISOString();
    const { attempts = 0, firstAt = lastAt } = row.failure ?? {};
    const step = failure.step ?? row.progressStep;
    const recorded = {
      failure: { step, cause, attempts: attempts + 1, firstAt, lastAt },
      namedModuleId: failure.namedModuleId ?? row.namedModuleId,
    };
    const ageMs = row.startedAt === null ? Infinity : now.getTime() - row.startedAt.getTime();
    const isLast = deadlineSeconds === 0 || ageMs >= deadlineSeconds * 1_000;
    const end = {
      ...{ status: 'failed', runId: null, errors: [reason], errorsTotal: 1 },
      ...{ finishedAt: now, failedAt: row.failedAt ?? now },
    } as const;
    this.#change(row, now, isLast ? { ...recorded, ...end } : recorded);
    return isLast ? 'failed' : 'running';
  }

  requeue(importId: string, now: Date): ImportRow | null {
    const row = this.#tables.imports.get(importId);
    if (row?.status !== 'failed' || row.archiveKey === null) return null;
    return this.#change(row, now, {
      ...{ status: 'queued', retries: row.retries + 1, queuedAt: now, runId: null },
      ...{ startedAt: null, finishedAt: null, failure: null, errors: [], errorsTotal: 0, dismissedAt: null },
      ...{ progressStep: 'queued', progressCompleted: 0, progressTotal: 0 },
    });
  }

  stale(before: Date): readonly ImportRow[] {
    return this.#tables.imports.where(({ status, updatedAt }) => isUnfinished(status) && updatedAt < before);
  }

  countStale(staleMs: number, atMost: number, now: Date): number {
    const stale = this.stale(new Date(now.getTime() - staleMs)).slice(0, atMost);
    return new Set(stale.map(({ id, groupId }) => groupId ?? id)).size;
  }

  findStale(
    status: 'queued' | 'running',
    before: Date,
    after: StaleImport | null,
    limit: number,
  ): readonly StaleImport[] {
    return this.stale(before)
      .filter((row) => row.status === status)
      .map(({ id: importId, organizationId, retries, groupId, updatedAt }) => {
        return { importId, organizationId, retries, groupId, updatedAt };
      })
      .filter((row) => after === null || isChangedBefore(after, row))
      .toSorted((a, b) => (isChangedBefore(a, b) ? -1 : 1))
      .slice(0, limit);
  }

  knownArchives(keys: readonly string[]): ReadonlySet<string> {
    const wanted = new Set(keys);
    const { revisions, imports, freed } = this.#tables;
    const known = [...revisions.all(), ...imports.all(), ...freed.all()];
    return new Set(
      known.flatMap(({ archiveKey }) => (archiveKey !== null && wanted.has(archiveKey) ? archiveKey : [])),
    );
  }

  /** Not a change that clients see: the version stays. */
  freeArchive(importId: string, now: Date): readonly FreedArchive[] {
    const row = this.#tables.imports.get(importId);
    if (row === null || isUnfinished(row.status) || row.status === 'failed') return [];
    return this.#free([row], now);
  }

  freeExpiredArchives(days: number, isLocked: IsLocked, now: Date): ArchiveSum {
    const before = now.getTime() - days * DAY_MS;
    const expired = this.#tables.imports.where(
      ({ id, finishedAt, failedAt, validateOnly, status }) =>
        finishedAt !== null &&
        ((failedAt ?? finishedAt).getTime() <= before ||
          status === 'cancelled' ||
          (validateOnly && status !== 'failed')) &&
        !isLocked(id),
    );
    const sum = { archives: 0, bytes: 0 };
    addTo(sum, this.#free(expired, now));
    return sum;
  }

  #free(rows: readonly ImportRow[], freedAt: Date): readonly FreedArchive[] {
    return rows.flatMap((row) => {
      const { archiveKey, sizeBytes: archiveBytes } = row;
      if (archiveKey === null) return [];
      this.#tables.imports.set(row.id, { ...row, archiveKey: null });
      this.#tables.freed.set(archiveKey, { archiveKey, archiveBytes, moduleId: null, freedAt });
      return [{ archiveKey, archiveBytes }];
    });
  }

  releaseFreed(moduleId: string): readonly FreedArchive[] {
    const { freed } = this.#tables;
    const released = freed.where((row) => row.moduleId === moduleId);
    for (const row of released) freed.set(row.archiveKey, { ...row, moduleId: null });
    return released;
  }

  dueArchives(ms: number, now: Date): readonly FreedArchive[] {
    const before = now.getTime() - ms;
    return this.#tables.freed.where(
      ({ moduleId, freedAt }) => moduleId === null || freedAt.getTime() <= before,
    );
  }

  forgetFreed(archiveKeys: readonly string[]): void {
    for (const key of archiveKeys)
      if (this.#tables.freed.get(key) !== null) this.#tables.freed.set(key, null);
  }

  dropOld(days: number, isLocked: IsLocked, now: Date): number {
    const before = now.getTime() - days * DAY_MS;
    const old = this.#tables.imports.where(
      ({ id, finishedAt, archiveKey }) =>
        (finishedAt?.getTime() ?? Infinity) < before && archiveKey === null && !isLocked(id),
    );
    for (const { id } of old) this.#delete(id);
    return old.length;
  }

  #change(row: ImportRow, now: Date, changes: Partial<ImportRow>): ImportRow {
    const changed = { ...row, ...changes, version: row.version + 1, updatedAt: now };
    this.#tables.imports.set(row.id, changed);
    return changed;
  }
}

function keyOf({ organizationId, key }: { readonly organizationId: string; readonly key: string }): string {
  return `${organizationId}/${key}`;
}

function isUnfinished(status: ImportRow['status']): boolean {
  return status === 'queued' || status === 'running';
}

function isChangedBefore(a: StaleImport, b: StaleImport): boolean {
  const [first, second] = [a.updatedAt.getTime(), b.updatedAt.getTime()];
  return first < second || (first === second && a.importId < b.importId);
}
