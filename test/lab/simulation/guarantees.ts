import type { ImportRow } from '../../../shared/db/imports/models.ts';
import type { Change, RevisionRow } from './tables.ts';
import type { Attempt } from './database-server.ts';
import { GRACE_MS, type Service } from './service.ts';
import type { SimulatedAnswer } from './simulated-request.ts';

type ImportChange = Extract<Change, { table: 'imports' }>;

/** The guarantees of the protocol, whatever fails: the names under which a simulation reports a breach. */
export const GUARANTEES = {
  'every-import-ends': 'An accepted import ends, within the virtual time allowed after the last fault.',
  'end-never-changes':
    "An import ends once. A failed one is queued again by an operator's retry, and by nothing else: each retry is counted once.",
  'succeeded-has-its-revision':
    'An import that changed a module wrote exactly one revision, whose archive is stored and is what was uploaded.',
  'archives-in-use-are-kept': 'No archive of a revision, or of an import that may still need it, is removed.',
  'current-revision-is-kept': 'The current revision of a module is deleted with its module only.',
  'downloads-are-finished': 'The archive of a deleted revision is kept for as long as downloads may run.',
  'garbage-is-collected': 'An object that no row names is removed.',
  'others-write-nothing':
    'An import that is rejected, unchanged, failed or only validates changes nothing but its row.',
  'later-import-wins': 'An import never replaces what an import that was accepted later has written.',
  'deleted-module-stays-deleted':
    'An import that was accepted before its module was deleted does not restore it.',
  'one-import-per-key': 'Requests with one Idempotency-Key get one import.',
  'answer-equals-row': 'What a client was answered is what the row says.',
  'stale-attempt-writes-nothing':
    'An attempt that was taken over, or a job that a retry has replaced, changes nothing.',
  'attempts-are-distinct': 'Each attempt has a run ID of its own.',
  'cancel-wins-or-loses': 'A cancelled import never runs, and a refused cancellation cancels nothing.',
  'retry-has-its-upload': 'An import that an operator retries has its upload.',
  'nothing-without-cause': 'Where no part fails, an import has one attempt and does not fail.',
} as const;

export type Guarantee = keyof typeof GUARANTEES;

const END_STATES = new Set<ImportRow['status']>(['succeeded', 'rejected', 'failed', 'cancelled']);

/** Watches every commit, removal and answer. */
export class GuaranteeWatch {
  /** Every import that was committed, as it was last. */
  readonly imports = new Map<string, ImportRow>();
  readonly #service: Service;
  readonly #hasFaults: boolean;
  readonly #runIds = new Set<string>();
  readonly #revisions = new Map<string, RevisionRow>();
  /** When the archive of a deleted revision was freed. */
  readonly #freedMs = new Map<string, number>();
  readonly #lastAccepted = new Map<string, number>();
  readonly #keyOfImport = new Map<string, string>();
  readonly #importOfKey = new Map<string, string>();
  readonly #mayBeCancelled = new Set<string>();
  readonly #retriesOf = new Map<string, number>();
  readonly #hasFailed = new Set<string>();
  readonly #checks: (() => void)[] = [];

  constructor(service: Service, hasFaults: boolean) {
    this.#service = service;
    this.#hasFaults = hasFaults;
    service.database.onCommit = (changes, attempts) => this.#committed(changes, attempts);
    service.database.onLost = (changes) => {
      for (const { table, key, before } of changes.toReversed())
        if (table === 'imports' && before !== null) this.imports.set(key, before);
    };
    service.storage.onRemove = (key) => {
      this.#require(!this.#isNamed(key), 'archives-in-use-are-kept', () => `${key} is removed`);
      const keptMs = service.world.clock.nowMs - (this.#freedMs.get(key) ?? 0);
      this.#require(keptMs >= GRACE_MS, 'downloads-are-finished', () => `${key} is kept for ${keptMs} ms`);
    };
  }

  /** A check for the end. */
  later(check: () => void): void {
    this.#checks.push(check);
  }

  /** Before an upload is sent. */
  sent(key: string | null, importId: string): void {
    if (key !== null) this.#keyOfImport.set(importId, key);
  }

  uploaded(key: string | null, { importId, status, code, body }: SimulatedAnswer): void {
    if (importId === null) return;
    if (key !== null) this.#oneImport(key, importId);
    this.later(() => {
      const row = this.imports.get(importId);
      const says = () => `${importId}: ${status} ${code} ${JSON.stringify(body)}, row ${JSON.stringify(row)}`;
      this.#require(row !== undefined && this.#isOf(row, status, code, body), 'answer-equals-row', says);
    });
  }

  /** Before an operator retries an import. */
  retries(importId: string): void {
    this.#retriesOf.set(importId, this.#retries(importId) + 1);
  }

  /** Null: there was no answer. */
  cancelled(importId: string, answer: SimulatedAnswer | null): void {
    const isRefused = answer?.code === 'import-not-cancellable';
    if (!isRefused) this.#mayBeCancelled.add(importId);
    this.later(() => {
      const isCancelled = this.imports.get(importId)?.status === 'cancelled';
      const isKept =
        answer?.status === 200 ? isCancelled : !isCancelled || this.#mayBeCancelled.has(importId);
      const says = () => `${importId}: the answer was ${answer?.status ?? 'none'}`;
      this.#require(isKept, 'cancel-wins-or-loses', says);
    });
  }

  /** Null where all have ended. */
  unfinished(): ImportRow | null {
    for (const row of this.imports.values()) if (!END_STATES.has(row.status)) return row;
    return null;
  }

  checkEnd(): void {
    for (const check of this.#checks) check();
    const { objects } = this.#service.storage;
    for (const row of this.imports.values()) {
      const written = [...this.#revisions.values()].filter(({ importId }) => importId === row.id);
      const stored = written.filter(({ archiveKey, archiveSha256 }) => {
        if (this.#freedMs.has(archiveKey)) return true;
        const found = objects.get(archiveKey);
        return (
          found !== undefined && row.sha256.equals(archiveSha256) && found.bytes.length === row.sizeBytes
        );
      });
      const says = () =>
        `${row.id}: ${row.status} ${row.outcome}, ${written.length} revisions, ${stored.length} stored`;
      if (writesRevision(row))
        this.#require(written.length === 1 && stored.length === 1, 'succeeded-has-its-revision', says);
      else this.#require(written.length === 0, 'others-write-nothing', says);
    }
  }

  /** After collections when nothing runs any more. */
  checkCollected(): void {
    const freed = this.#service.database.tables.freed.all();
    this.#require(
      freed.length === 0,
      'garbage-is-collected',
      () => `${freed.length} freed archives are kept`,
    );
    for (const key of this.#service.storage.objects.keys())
      this.#require(this.#isNamed(key), 'garbage-is-collected', () => `${key} is kept`);
  }

  /** Of an answer, or of a row. */
  #oneImport(key: string, importId: string): void {
    const first = this.#importOfKey.get(key) ?? importId;
    this.#importOfKey.set(key, first);
    this.#require(first === importId, 'one-import-per-key', () => `${key}: ${first} and ${importId}`);
  }

  #isNamed(key: string): boolean {
    const { revisions, imports } = this.#service.database.tables;
    return [...revisions.all(), ...imports.all()].some(({ archiveKey }) => archiveKey === key);
  }

  #isOf(row: ImportRow, status: number, code: string | null, body: SimulatedAnswer['body']): boolean {
    if (code === null && status === 200)
      return (
        row.status === 'succeeded' &&
        body['outcome'] === row.outcome &&
        body['moduleId'] === row.moduleId &&
        body['revision'] === row.revision
      );
    if (code === 'import-rejected' || code === 'registry-revision-changed') return row.status === 'rejected';
    if (code === 'import-cancelled') return row.status === 'cancelled';
    if (code === 'import-failed' || code === 'import-deadline-exceeded') return this.#hasFailed.has(row.id);
    return true;
  }

  #require(isKept: boolean, guarantee: Guarantee, detail: () => string): void {
    this.#service.world.require(isKept, guarantee, detail);
  }

  #committed(changes: readonly Change[], attempts: readonly Attempt[]): void {
    for (const change of changes) {
      if (change.table === 'imports') this.#importChanged(change, changes, attempts);
      if (change.table === 'revisions' && change.after !== null) this.#revisionWritten(change.after, changes);
      if (change.table === 'revisions' && change.after === null && change.before !== null)
        this.#revisionDeleted(change.before);
      if (change.table === 'freed' && change.after !== null)
        this.#freedMs.set(
          change.key,
          change.after.moduleId === null ? -Infinity : change.after.freedAt.getTime(),
        );
    }
  }

  #importChanged(change: ImportChange, changes: readonly Change[], attempts: readonly Attempt[]): void {
    const { before, after } = change;
    if (after === null) return;
    const attempt = attempts.find(({ importId = after.id }) => importId === after.id) ?? null;
    this.imports.set(after.id, after);
    if (before?.status !== after.status || before.runId !== after.runId)
      this.#service.world.note(
        () => `import ${after.id}: ${before?.status ?? 'none'} → ${after.status} ${after.outcome ?? ''}`,
      );
    if (before === null) {
      this.#inserted(after);
      return;
    }
    const by = () =>
      `${after.id}: ${before.status} → ${after.status} by ${attempt?.runId ?? 'none'}, current ${before.runId ?? 'none'}`;
    if (attempt !== null) this.#attemptWrote(attempt, before, after, by);
    const isRetried = before.status === 'failed' && after.status === 'queued';
    const isCounted = after.retries === before.retries + (isRetried ? 1 : 0);
    this.#require(isCounted && after.retries <= this.#retries(after.id), 'end-never-changes', by);
    if (before.status === after.status) return;
    this.#statusChanged(before, after, isRetried, by);
    this.#require(
      writesRevision(after) || changes.length <= Math.max(attempts.length, 1),
      'others-write-nothing',
      by,
    );
  }

  #inserted({ id, archiveKey }: ImportRow): void {
    const says = () => `${id} is accepted without its upload`;
    this.#require(this.#isStored(archiveKey), 'archives-in-use-are-kept', says);
    const key = this.#keyOfImport.get(id);
    if (key !== undefined) this.#oneImport(key, id);
  }

  #retries(importId: string): number {
    return this.#retriesOf.get(importId) ?? 0;
  }

  #attemptWrote(
    { runId, retries, isStart }: Attempt,
    before: ImportRow,
    after: ImportRow,
    by: () => string,
  ): void {
    if (isStart && runId !== null) this.#started(runId, after, by);
    const isOwn =
      (isStart || runId === null || before.runId === runId) && before.retries === (retries ?? before.retries);
    this.#require(isOwn, 'stale-attempt-writes-nothing', by);
  }

  #statusChanged(before: ImportRow, after: ImportRow, isRetried: boolean, by: () => string): void {
    this.#require(isRetried || !END_STATES.has(before.status), 'end-never-changes', by);
    if (isRetried) this.#require(this.#isStored(after.archiveKey), 'retry-has-its-upload', by);
    if (after.status === 'cancelled') this.#require(before.status === 'queued', 'cancel-wins-or-loses', by);
    if (after.status === 'failed') {
      this.#hasFailed.add(after.id);
      this.#require(this.#hasFaults, 'nothing-without-cause', by);
    }
    if (after.status === 'succeeded' && !after.validateOnly && after.moduleId !== null)
      this.#accepted(after.moduleId, after.acceptanceOrder);
  }

  #isStored(archiveKey: string | null): boolean {
    return archiveKey !== null && this.#service.storage.objects.has(archiveKey);
  }

  #started(runId: string, after: ImportRow, by: () => string): void {
    this.#require(after.runId === runId && !this.#runIds.has(runId), 'attempts-are-distinct', by);
    this.#runIds.add(runId);
    this.#require(this.#hasFaults || after.version === 2, 'nothing-without-cause', by);
  }

  #accepted(moduleId: string, acceptanceOrder: number): void {
    this.#lastAccepted.set(moduleId, Math.max(acceptanceOrder, this.#lastAccepted.get(moduleId) ?? 0));
  }

  #revisionDeleted({ moduleId, revision }: RevisionRow): void {
    const module = this.#service.database.tables.modules.get(moduleId);
    const isKept = module?.deletedAt === null && module.currentRevision === revision;
    const says = () => `revision ${revision} of ${moduleId} is deleted`;
    this.#require(!isKept, 'current-revision-is-kept', says);
  }

  #revisionWritten(written: RevisionRow, changes: readonly Change[]): void {
    const { moduleId, revision, importId } = written;
    this.#revisions.set(`${moduleId}/${revision}`, written);
    const row = this.imports.get(importId);
    const module = changes.find((each) => each.table === 'modules')?.before;
    if (row === undefined || row.status !== 'succeeded') {
      this.#require(
        false,
        'others-write-nothing',
        () => `${importId} wrote a revision, but has not succeeded`,
      );
      return;
    }
    const isLast = row.acceptanceOrder >= (this.#lastAccepted.get(moduleId) ?? 0);
    this.#require(isLast, 'later-import-wins', () => `${importId} replaces a later import of ${moduleId}`);
    const deletedAt = module?.deletedAt ?? null;
    const isAfter = deletedAt === null || deletedAt <= row.createdAt;
    this.#require(isAfter, 'deleted-module-stays-deleted', () => `${importId} restores ${moduleId}`);
  }
}

function writesRevision({ status, outcome, validateOnly }: ImportRow): boolean {
  return status === 'succeeded' && outcome !== 'unchanged' && !validateOnly;
}
