import os from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { FairSlots, type FairSlotsOptions, type FreeSlots, type LimitUse } from '../limits/fair-slots.ts';
import { FairRate } from '../limits/fair-rate.ts';
import type { TaskResult, TaskRunner, Tasks } from './tasks.ts';
import { Thread, type ThreadLimits } from './thread.ts';

/** Time that an owner does not use is kept for this long: one expensive piece of work, or a few, need not wait. */
const KEPT_SECONDS = 30;

/** Each may need half a gigabyte, so that there are not always as many as processors. */
const MAX_THREADS = Math.min(Math.max(os.availableParallelism(), 2), 4);

/** The threads of a process, of which one owner uses at most half. */
export const THREADS = { max: MAX_THREADS, maxPerOwner: Math.floor(MAX_THREADS / 2) };

/** The threads of a pool, and how owners share them; `max` is their number. */
export interface ThreadPoolOptions extends FairSlotsOptions, ThreadLimits {
  /** The compiled module that a thread runs; it calls `serveTasks`. */
  readonly module: URL;
  /** Processor time of one owner in each second. */
  readonly msPerSecond: number;
  /** A session waits for time of its owner this long at most, and then runs; 0: it is refused. */
  readonly maxTimeWaitMs: number;
}

/**
 * Threads for input from outside that would block the event loop. A session has a thread of its own, which keeps what
 * the session reads: only results come back. Threads start when they are needed.
 */
export class ThreadPool<Of extends Tasks<Of>> {
  readonly #options: ThreadPoolOptions;
  readonly #slots: FairSlots;
  /** For owners' sessions that run or wait for time. */
  readonly #turns: FairSlots;
  readonly #time: FairRate;
  readonly #idle: Thread[] = [];
  readonly #all = new Set<Thread>();
  #waitingForTime = 0;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#slots = new FairSlots(options);
    this.#turns = new FairSlots({ ...options, max: Infinity });
    const { resource, msPerSecond: perSecond } = options;
    const what = `ms of processor time for ${resource}`;
    this.#time = new FairRate({ what, perSecond, keptSeconds: KEPT_SECONDS });
  }

  /** The numbers of threads that run sessions, and of sessions that wait for a thread or for time of their owner. */
  limitUse(): LimitUse {
    const use = this.#slots.use();
    return { ...use, waiting: this.#turns.waiting() + use.waiting + this.#waitingForTime };
  }

  /** @throws OverRateError if an owner has no time left now */
  requireTime(owner: string): void {
    this.#time.requireLeft(owner);
  }

  /** Runs a session. @throws NoSlotError if no thread is free soon, OverRateError, and what the session throws. */
  async use<Result>(owner: string, session: (tasks: TaskRunner<Of>) => Promise<Result>): Promise<Result> {
    const free = await this.#take(owner);
    try {
      // The system may refuse another thread.
      return await this.#useThread(this.#idle.pop() ?? this.#start(), owner, session);
    } finally {
      free();
    }
  }

  async #useThread<Result>(
    thread: Thread,
    owner: string,
    session: (tasks: TaskRunner<Of>) => Promise<Result>,
  ): Promise<Result> {
    const onTook = (ms: number) => this.#time.spend(owner, ms);
    try {
      thread.send({ kind: 'start' });
      return await session({
        // A message has no type; `serveTasks` runs the same tasks.
        run: async (name, input) => (await thread.run(name, input, onTook)) as TaskResult<Of[typeof name]>,
      });
    } finally {
      this.#release(thread);
    }
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    await Promise.all([...this.#all].map((each) => each.terminate()));
  }

  /** An owner's sessions wait for its time one after the other, and keep no thread from others meanwhile. */
  async #take(owner: string): Promise<FreeSlots> {
    const endTurn = await this.#turns.take(owner);
    try {
      await this.#waitForTime(owner);
      const free = await this.#slots.take(owner);
      return () => {
        free();
        endTurn();
      };
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  async #waitForTime(owner: string): Promise<void> {
    const { maxTimeWaitMs } = this.#options;
    const waitMs = this.#time.waitMs(owner);
    if (waitMs === 0) return;
    if (maxTimeWaitMs === 0) this.#time.requireLeft(owner);
    this.#waitingForTime += 1;
    await setTimeout(Math.min(waitMs, maxTimeWaitMs));
    this.#waitingForTime -= 1;
  }

  #start(): Thread {
    const thread = new Thread(this.#options.module, this.#options);
    this.#all.add(thread);
    return thread;
  }

  #release(thread: Thread): void {
    if (thread.hasEnded) {
      this.#all.delete(thread);
      return;
    }
    thread.send({ kind: 'end' });
    this.#idle.push(thread);
  }
}
