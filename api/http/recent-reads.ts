import { LRUCache } from 'lru-cache';
import { atMost } from '../../shared/limits/at-most.ts';

/** From the start of the read: well below the second in which a revocation must take effect. */
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
