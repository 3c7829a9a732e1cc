import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
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

/** A statement reads for so many requests at most. */
const MOST_IN_BATCH = 100;

interface Batch<Request, Result> {
  readonly requests: Map<string, Request>;
  readonly results: Promise<ReadonlyMap<string, Result>>;
}

/**
 * Reads for all requests of a turn of the event loop at once, and once for those with the same name. As with
 * `SharedReads`, no answer is older than its request.
 */
export class BatchedReads<Request, Result> {
  readonly #act: (requests: readonly Request[]) => Promise<readonly Result[]>;
  #waiting: Batch<Request, Result> | null = null;

  /** `act` returns a result for each request, in their order. */
  constructor(act: (requests: readonly Request[]) => Promise<readonly Result[]>) {
    this.#act = act;
  }

  async read(name: string, request: Request): Promise<Result> {
    const batch = (this.#waiting ??= this.#newBatch());
    batch.requests.set(name, request);
    if (batch.requests.size === MOST_IN_BATCH) this.#waiting = null;
    const result = (await batch.results).get(name);
    if (result === undefined) throw new Error('a batch of reads has no result for a request');
    return result;
  }

  #newBatch(): Batch<Request, Result> {
    const requests = new Map<string, Request>();
    return { requests, results: this.#run(requests) };
  }

  async #run(requests: ReadonlyMap<string, Request>): Promise<ReadonlyMap<string, Result>> {
    await nextTurn();
    if (this.#waiting?.requests === requests) this.#waiting = null;
    const results = await this.#act([...requests.values()]);
    return new Map(
      [...requests.keys()].flatMap((name, index) => {
        const result = results[index];
        return result === undefined ? [] : [[name, result] as const];
      }),
    );
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
