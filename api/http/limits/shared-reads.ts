import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { TurnBatches, type SendTogether } from '../../../shared/db/together.ts';
import { atMost } from '../../../shared/limits/at-most.ts';

/**
 * Runs the same read once for all requests that wait for it to start. A read starts after the last request that
 * shares it has arrived, so that no answer is older than its request.
 */
export class SharedReads<Result> {
  readonly #waiting = new Map<string, Promise<Result>>();

  /** Reads at the end of this turn of the event loop, once for each `name`. */
  async read(name: string, act: () => Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(name) ?? this.#start(name, act);
    this.#waiting.set(name, waiting);
    return waiting;
  }

  async #start(name: string, act: () => Promise<Result>): Promise<Result> {
    await nextTurn();
    this.#waiting.delete(name);
    return act();
  }
}

/**
 * Reads for all requests of a turn of the event loop in one statement, and once for those with the same name. As with
 * `SharedReads`, no answer is older than its request.
 */
export class BatchedReads<Request, Result> {
  readonly #reads = new SharedReads<Result>();
  readonly #batches: TurnBatches<Request, Result>;

  /** `act` returns a result for each request, in their order. */
  constructor(act: SendTogether<Request, Result>) {
    this.#batches = new TurnBatches(act);
  }

  async read(name: string, request: Request): Promise<Result> {
    return this.#reads.read(name, async () => this.#batches.add(request));
  }
}

// Without a resolution the cache would measure ages by a clock that does not advance while the event loop is blocked.
const CACHE = { ...atMost(10_000), ttl: 500, ttlResolution: 0 };

/**
 * Reads what a credential grants at most twice a second. What cannot be read is refused: expired entries are not used.
 */
export class RecentReads<Value extends object> {
  /** Only what was found, so that unknown names cannot evict it. */
  readonly #values = new LRUCache<string, Value>(CACHE);
  /** Shared by the requests for one name. A read that takes longer is not joined: it may have missed a revocation. */
  readonly #reads = new LRUCache<string, Promise<Value | null>>(CACHE);

  /** The value of a name, read now or less than 500 ms ago; null where there is none. */
  async find(name: string, read: () => Promise<Value | null>): Promise<Value | null> {
    return this.#values.get(name) ?? this.#reads.get(name) ?? this.#read(name, read);
  }

  async #read(name: string, read: () => Promise<Value | null>): Promise<Value | null> {
    const start = performance.now();
    const reading = read();
    this.#reads.set(name, reading);
    try {
      const value = await reading;
      if (value !== null) this.#values.set(name, value, { start });
      return value;
    } finally {
      this.#reads.delete(name);
    }
  }
}
