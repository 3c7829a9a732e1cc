import { ImportStatements } from './import-statements.ts';
import { LeaseStatements } from './lease-statements.ts';
import { Link } from './link.ts';
import { RegistryStatements } from './registry-statements.ts';
import { Tables, type Change } from './tables.ts';
import type { Machine, World } from './world.ts';

/** The one deployment: its ID is part of the archives' keys. */
export const DEPLOYMENT = '80000000-0000-4000-8000-000000000001';
const LOCK_TIMEOUT_MS = 5_000;
/** Asynchronous commits are on disk after this time at the latest. */
const FLUSH_MS = 600;

/** An open transaction: its changes are visible to itself only, and what they change is locked. */
export interface Transaction {
  readonly now: Date;
  readonly changes: Change[];
  attempts: readonly Attempt[];
  isOpen: boolean;
}

/** The attempt, or the job of a retry, whose statement it is. */
export interface Attempt {
  /** Of a statement for the imports of several attempts. */
  readonly importId?: string;
  readonly runId: string | null;
  readonly retries: number | null;
  readonly isStart: boolean;
}

/** How a statement runs. */
export interface StatementOptions {
  /** Its locks beside those of the rows that it changes. */
  readonly lock?: readonly string[];
  readonly attempts?: readonly Attempt[];
  readonly isAsynchronous?: boolean;
}

interface Waiting {
  retry(): boolean;
  fail(error: Error): void;
}

/** PostgreSQL as far as the protocol depends on it: statements are atomic, rows are locked, commits may be asynchronous. */
export class DatabaseServer {
  readonly link: Link;
  readonly deploymentId = DEPLOYMENT;
  readonly tables = new Tables();
  readonly imports = new ImportStatements(this.tables);
  readonly registry = new RegistryStatements(this.tables, this.imports);
  readonly leases: LeaseStatements;
  /** Gets the changes of each commit. */
  onCommit: (changes: readonly Change[], attempts: readonly Attempt[]) => void = () => undefined;
  /** Gets the changes that a crash has undone. */
  onLost: (changes: readonly Change[]) => void = () => undefined;
  onNotify: (message: string) => void = () => undefined;
  readonly #world: World;
  readonly #locks = new Map<string, Transaction>();
  readonly #open = new Set<Transaction>();
  #waiting: Waiting[] = [];
  #unflushed: { readonly atMs: number; readonly changes: readonly Change[] }[] = [];

  constructor(world: World) {
    this.#world = world;
    this.leases = new LeaseStatements(world);
    this.link = new Link(world, 'database');
  }

  begin(machine: Machine): Transaction {
    const transaction: Transaction = { now: this.#world.clock.now, changes: [], attempts: [], isOpen: true };
    this.#open.add(transaction);
    machine.whenKilled(() => this.rollbackSoon(transaction));
    return transaction;
  }

  /** Runs a statement, in the transaction or as one of its own, when nobody else holds what it locks. */
  run<Result>(
    transaction: Transaction | null,
    statement: (now: Date) => Result,
    options: StatementOptions = {},
  ): Result | Promise<Result> {
    const now = transaction?.now ?? this.#world.clock.now;
    const attempt = () => this.#attempt(transaction, () => statement(now), options);
    const first = attempt();
    return first === null ? this.#wait(attempt) : first.result;
  }

  commit(transaction: Transaction): void {
    if (!transaction.isOpen) throw new Error('the transaction is not open');
    this.#close(transaction);
    this.tables.redo(transaction.changes);
    this.#committed(transaction.changes, transaction.attempts, false);
    this.#retryWaiting();
  }

  rollback(transaction: Transaction): void {
    if (!transaction.isOpen) return;
    this.#close(transaction);
    this.#retryWaiting();
  }

  rollbackSoon(transaction: Transaction): void {
    this.#world.clock.after(this.link.latencyMs(), null, () => this.rollback(transaction));
  }

  readonly isImportLocked = (importId: string): boolean => this.#locks.has(`imports/${importId}`);

  readonly isModuleLocked = (moduleId: string): boolean => this.#locks.has(`modules/${moduleId}`);

  /** An immediate shutdown: open transactions are gone, and the last asynchronous commits too. */
  crash(durationMs: number): void {
    const sinceMs = this.#world.clock.nowMs - FLUSH_MS;
    for (const transaction of this.#open) this.#close(transaction);
    const lost = this.#unflushed.filter(({ atMs }) => atMs > sinceMs).flatMap(({ changes }) => changes);
    this.tables.undo(lost);
    this.onLost(lost);
    this.#unflushed = [];
    this.#world.note(() => `database crashes and loses ${lost.length} asynchronous changes`);
    this.link.goDown(durationMs);
    for (const { fail } of this.#waiting.splice(0)) fail(new Error('the database is shutting down'));
  }

  /** Null: somebody else holds a lock that the statement needs. */
  #attempt<Result>(
    transaction: Transaction | null,
    statement: () => Result,
    { lock = [], attempts = [], isAsynchronous = false }: StatementOptions,
  ): { readonly result: Result } | null {
    if (transaction?.isOpen === false) throw new Error('the transaction was rolled back');
    const own = [...(transaction?.changes ?? [])];
    this.tables.redo(own);
    try {
      const { result, changes } = this.tables.record(statement);
      const needed = [...lock, ...changes.map(({ table, key }) => `${table}/${key}`)];
      const isBlocked = needed.some((key) => (this.#locks.get(key) ?? transaction) !== transaction);
      if (transaction !== null || isBlocked) this.tables.undo(changes);
      if (isBlocked) return null;
      if (transaction === null) this.#committed(changes, attempts, isAsynchronous);
      else for (const key of needed) this.#locks.set(key, transaction);
      transaction?.changes.push(...changes);
      if (transaction !== null && attempts.length > 0) transaction.attempts = attempts;
      return { result };
    } finally {
      this.tables.undo(own);
    }
  }

  async #wait<Result>(attempt: () => { readonly result: Result } | null): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        retry: () => {
          try {
            const found = attempt();
            if (found !== null) resolve(found.result);
            return found !== null;
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
            return true;
          }
        },
        fail: reject,
      };
      this.#waiting.push(waiting);
      this.#world.clock.after(LOCK_TIMEOUT_MS, null, () => {
        if (!this.#waiting.includes(waiting)) return;
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        reject(new Error('canceling statement due to lock timeout'));
      });
    });
  }

  #retryWaiting(): void {
    this.#waiting = this.#waiting.filter((each) => !each.retry());
  }

  #close(transaction: Transaction): void {
    transaction.isOpen = false;
    this.#open.delete(transaction);
    for (const [key, holder] of this.#locks) if (holder === transaction) this.#locks.delete(key);
  }

  #committed(changes: readonly Change[], attempts: readonly Attempt[], isAsynchronous: boolean): void {
    if (changes.length === 0) return;
    const net = netChanges(changes);
    // A synchronous commit also writes all that was committed before it.
    if (isAsynchronous) this.#unflushed.push({ atMs: this.#world.clock.nowMs, changes });
    else this.#unflushed = [];
    this.onCommit(net, attempts);
  }
}

/** One change for each row: what a transaction has made and removed again never was. */
function netChanges(changes: readonly Change[]): readonly Change[] {
  const net = new Map<string, Change>();
  for (const change of changes) {
    const place = `${change.table}/${change.key}`;
    const before = net.has(place) ? net.get(place)!.before : change.before;
    net.set(place, { ...change, before } as Change);
  }
  return [...net.values()].filter(({ before, after }) => before !== after);
}
