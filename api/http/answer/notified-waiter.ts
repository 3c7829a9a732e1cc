import { forService } from '../../../shared/limits/owner.ts';
import { outsideSpans } from '../../../shared/telemetry/current-span.ts';
import type { Log } from '../../../shared/telemetry/log.ts';

/** Covers for notifications, which may be lost. */
const POLL_MS = 1_000;
/** Where none arrive, as through a transaction pooler. */
const UNNOTIFIED_POLL_MS = 200;

/** Waits for news of one key; it also notices news that come between two calls of `next`. */
export class Watch<News> {
  /** The version of the key that the reader has seen; null where versions do not matter. */
  readonly seenVersion: number | null;
  readonly #forget: (watch: Watch<News>) => void;
  #latest: News | null = null;
  #isEnded = false;
  #wake: () => void = () => undefined;

  constructor(seenVersion: number | null, forget: (watch: Watch<News>) => void) {
    this.seenVersion = seenVersion;
    this.#forget = forget;
  }

  /** Resolves with the latest news; with null when the signal aborts or the waiting ends. */
  async next(signal: AbortSignal): Promise<News | null> {
    if (this.#latest === null && !this.#isEnded && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = () => {
          signal.removeEventListener('abort', this.#wake);
          resolve();
        };
        signal.addEventListener('abort', this.#wake);
      });
    const news = this.#latest;
    this.#latest = null;
    return news;
  }

  notice(news: News): void {
    this.#latest = news;
    this.#wake();
  }

  /** Ends the waiting: there will be no more news. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  stop(): void {
    this.#forget(this);
  }
}

/** Reads the news of these keys and reports them; `isPoll` is true of a poll. */
type ReadNews = (keys: readonly string[], isPoll: boolean) => Promise<void>;

/**
 * Requests and streams that wait for news. However many wait, one read runs at a time: after a notification for the keys
 * that it names, and at each poll for all that are watched.
 */
export class NotifiedWaiter<News> {
  readonly #read: ReadNews;
  readonly #onFailure: (error: unknown) => void;
  readonly #watches = new Map<string, Set<Watch<News>>>();
  #timer: NodeJS.Timeout;
  /** The watched keys that are read next. */
  readonly #toRead = new Set<string>();
  #isPollDue = false;
  #isReading = false;
  #isStopped = false;

  constructor(log: Log, failure: string, read: ReadNews) {
    this.#read = read;
    this.#onFailure = (error) => outsideSpans(() => log.warn({ err: error }, failure));
    this.#timer = this.#poll(POLL_MS);
  }

  /** Polls more often, because no notifications arrive. */
  pollFaster(): void {
    clearInterval(this.#timer);
    this.#timer = this.#poll(UNNOTIFIED_POLL_MS);
  }

  /** Watches a key until the watch is stopped. */
  watch(key: string, seenVersion: number | null = null): Watch<News> {
    const others = this.#watches.get(key) ?? new Set();
    const watch = new Watch<News>(seenVersion, (stopped) => {
      others.delete(stopped);
      if (others.size === 0 && this.#watches.get(key) === others) this.#watches.delete(key);
    });
    this.#watches.set(key, others.add(watch));
    if (this.#isStopped) watch.end();
    return watch;
  }

  /** The watches of a key. */
  watchesOf(key: string): readonly Watch<News>[] {
    return [...(this.#watches.get(key) ?? [])];
  }

  /** Reads those of these keys that are watched, because there may be news of them. */
  wake(keys: readonly string[]): void {
    for (const key of keys) if (this.#watches.has(key)) this.#toRead.add(key);
    void this.#readAll();
  }

  /** Ends all waiting, current and future, because the process is shutting down. */
  stopWaiting(): void {
    this.#isStopped = true;
    for (const watches of this.#watches.values()) for (const watch of [...watches]) watch.end();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #poll(everyMs: number): NodeJS.Timeout {
    return setInterval(() => {
      this.#isPollDue = true;
      this.wake([...this.#watches.keys()]);
    }, everyMs);
  }

  /** Runs one read at a time; the next one covers what was requested meanwhile. */
  async #readAll(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#toRead.size > 0) {
        const [keys, isPoll] = [[...this.#toRead], this.#isPollDue];
        this.#toRead.clear();
        this.#isPollDue = false;
        // For all that wait, not for the request that started the read.
        await forService(() => this.#read(keys, isPoll));
      }
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#isReading = false;
    }
  }
}
