import { FairSlots } from '../limits/fair-slots.ts';
import type { FairSlotsOptions } from '../limits/fair-slots.ts';
import type { TaskResult, TaskRunner, Tasks } from './tasks.ts';
import { Thread } from './thread.ts';
import type { ThreadLimits } from './thread.ts';

/** The threads of a pool, and how owners share them; `max` is their number. */
export interface ThreadPoolOptions extends FairSlotsOptions, ThreadLimits {
  /** The compiled module that a thread runs; it calls `serveTasks`. */
  readonly module: URL;
}

/**
 * Threads for input from outside that would block the event loop. A session has a thread of its own, which keeps what
 * the session reads: only results come back. Threads start when they are needed.
 */
export class ThreadPool<Of extends Tasks<Of>> {
  readonly #options: ThreadPoolOptions;
  readonly #slots: FairSlots;
  readonly #idle: Thread[] = [];
  readonly #all = new Set<Thread>();

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#slots = new FairSlots(options);
  }

  /** Runs a session. @throws NoSlotError if no thread is free soon, and what the session throws. */
  async use<Result>(owner: string, session: (tasks: TaskRunner<Of>) => Promise<Result>): Promise<Result> {
    const free = await this.#slots.take(owner);
    const thread = this.#idle.pop() ?? this.#start();
    try {
      thread.send({ kind: 'start' });
      return await session({
        // A message has no type; `serveTasks` runs the same tasks.
        run: async (name, input) => (await thread.run(name, input)) as TaskResult<Of[typeof name]>,
      });
    } finally {
      this.#release(thread);
      free();
    }
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    await Promise.all([...this.#all].map((each) => each.terminate()));
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
