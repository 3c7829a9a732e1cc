import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Counter } from 'prom-client';
import type { Context } from '../shared/process/context.ts';
import { addTasks, claimDueTasks, extendLease, returnLease } from '../shared/db/leases.ts';

/** How often a process looks for tasks that are due. */
const CHECK_MS = 1_000;
const SHORTEST_LEASE_MS = 2_000;
const LONGEST_LEASE_MS = 30_000;
/** A lease survives two extensions that fail. */
const EXTENSIONS_PER_LEASE = 3;
const LEASES_PER_RUN = 5;

/** Work that is repeated periodically. Running it twice does no harm. */
export interface ScheduledTask {
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

/** How long a lease lasts without an extension. */
export function leaseOf({ everyMs }: Pick<ScheduledTask, 'everyMs'>): number {
  return Math.min(LONGEST_LEASE_MS, Math.max(SHORTEST_LEASE_MS, everyMs));
}

/** For how long it is extended: later another process may run the task too, as the run may hang on a dead connection. */
export function longestRunOf(task: Pick<ScheduledTask, 'everyMs'>): number {
  return Math.max(task.everyMs, LEASES_PER_RUN * leaseOf(task));
}

/**
 * Starts scheduled tasks. The database knows when a task is due, and one of all workers runs it then, however short
 * each of them lives. A task whose worker died is run again when its lease has ended. Returns the function that stops
 * them and waits for running ones; false: some still run.
 */
export function startSchedule(
  context: Context,
  runs: Counter<'task' | 'result'>,
  tasks: readonly ScheduledTask[],
): (maxWaitMs: number) => Promise<boolean> {
  const schedule = new Schedule(context, runs, tasks);
  schedule.check();
  const timer = setInterval(() => schedule.check(), CHECK_MS);
  return async (maxWaitMs) => {
    clearInterval(timer);
    return Promise.race([schedule.stop(), setTimeout(maxWaitMs, false, { ref: false })]);
  };
}

class Schedule {
  readonly #context: Context;
  readonly #runs: Counter<'task' | 'result'>;
  readonly #tasks: readonly ScheduledTask[];
  readonly #holder = randomUUID();
  readonly #running = new Map<string, Promise<void>>();
  #checking: Promise<void> | null = null;
  #isAdded = false;
  #isStopped = false;

  constructor(context: Context, runs: Counter<'task' | 'result'>, tasks: readonly ScheduledTask[]) {
    this.#context = context;
    this.#runs = runs;
    this.#tasks = tasks;
    for (const { name } of tasks)
      for (const result of ['done', 'failed']) runs.inc({ task: name, result }, 0);
  }

  /** Runs the tasks that are due, unless the last check still waits for the database. */
  check(): void {
    this.#checking ??= this.#runDue()
      .catch((error: unknown) => this.#context.log.error({ err: error }, 'scheduled tasks not checked'))
      .finally(() => (this.#checking = null));
  }

  async stop(): Promise<boolean> {
    this.#isStopped = true;
    await this.#checking;
    await Promise.all(this.#running.values());
    return true;
  }

  async #runDue(): Promise<void> {
    const { database } = this.#context;
    if (!this.#isAdded) {
      await addTasks(database, this.#tasks);
      this.#isAdded = true;
    }
    const idle = this.#tasks.filter(({ name }) => !this.#running.has(name));
    const leased = idle.map((task) => ({ name: task.name, leaseMs: leaseOf(task), everyMs: task.everyMs }));
    const due = await claimDueTasks(database, this.#holder, leased);
    for (const task of idle)
      if (due.includes(task.name)) {
        const run = this.#run(task).finally(() => this.#running.delete(task.name));
        this.#running.set(task.name, run);
      }
  }

  async #run(task: ScheduledTask): Promise<void> {
    const { database, log } = this.#context;
    const key = { name: task.name, holder: this.#holder };
    // Claimed while the process began to stop: another one runs it.
    const isSkipped = this.#isStopped;
    if (!isSkipped) await this.#runLeased(task);
    // Where this fails, the lease ends by itself.
    await returnLease(database, key, isSkipped ? 0 : task.everyMs).catch((error: unknown) =>
      log.warn({ err: error, task: task.name }, 'lease of a scheduled task not returned'),
    );
  }

  async #runLeased(task: ScheduledTask): Promise<void> {
    const { database, log } = this.#context;
    const { name, run } = task;
    const longestMs = longestRunOf(task);
    const leaseMs = leaseOf(task);
    const startedMs = performance.now();
    const extend = async () => {
      if (performance.now() - startedMs <= longestMs)
        return extendLease(database, { name, holder: this.#holder }, leaseMs);
      clearInterval(timer);
      log.warn({ task: name }, 'scheduled task exceeds its longest lease; another process may run it');
    };
    const onTimer = () => {
      extend().catch((error: unknown) =>
        log.warn({ err: error, task: name }, 'lease of a scheduled task not extended'),
      );
    };
    const timer = setInterval(onTimer, leaseMs / EXTENSIONS_PER_LEASE);
    try {
      await run();
      this.#runs.inc({ task: name, result: 'done' });
    } catch (error) {
      this.#runs.inc({ task: name, result: 'failed' });
      log.error({ err: error, task: name }, 'scheduled task failed');
    } finally {
      clearInterval(timer);
    }
  }
}
