import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.ts';

/** For how many owners the use is remembered. */
const REMEMBERED = 10_000;

/** The share of one owner in each second. */
export interface FairRateOptions {
  /** The name of the counted things, in the plural, such as `requests`: for the refusal. */
  readonly what: string;
  /** The same for all owners, or what each has now. */
  readonly perSecond: number | ((owner: string) => number);
  /** The unused share is kept for this long, so that a burst need not wait. */
  readonly keptSeconds: number;
}

/** A rate is exceeded; more is left after `retryMs`. */
export class OverRateError extends Error {
  override readonly name = 'OverRateError';
  readonly retryMs: number;

  /** `message` names the owner and the rate that is used up. */
  constructor(message: string, retryMs: number) {
    super(message);
    this.retryMs = retryMs;
  }
}

/** How much of a limit a caller has left, as answers report it. */
export interface RateUse {
  /** The name of the limit. */
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Until the whole quota is left again. */
  readonly resetSeconds: number;
}

interface Use {
  /** Beyond what has been paid for since. */
  readonly used: number;
  readonly atMs: number;
}

/**
 * Shares what is used over time among owners: requests, or processor time. What a piece of work takes may be known only
 * afterwards: so it is started while its owner has something left, and an expensive one makes the owner's next one wait.
 */
export class FairRate {
  readonly #options: FairRateOptions;
  readonly #now: () => number;
  readonly #uses = new LRUCache<string, Use>(atMost(REMEMBERED));

  constructor(options: FairRateOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /** Counts what an owner uses. */
  spend(owner: string, amount: number): void {
    this.#uses.set(owner, { used: this.#used(owner) + amount, atMs: this.#now() });
  }

  /** The time that an owner has to wait until something is left; 0: none. */
  waitMs(owner: string): number {
    const over = this.#used(owner) - this.#kept(owner);
    return over < 0 ? 0 : Math.ceil((over * 1_000) / this.#perSecond(owner)) + 1;
  }

  /** @throws OverRateError if the owner has to wait */
  requireLeft(owner: string): void {
    const waitMs = this.waitMs(owner);
    if (waitMs === 0) return;
    const rate = `${this.#perSecond(owner)} ${this.#options.what} in a second`;
    throw new OverRateError(`The organization has used up its ${rate}.`, waitMs);
  }

  /** What an owner has left: `perSecond` is added to it in each second, up to what is kept. */
  use(owner: string): RateUse {
    const { what: name, keptSeconds: windowSeconds } = this.#options;
    const used = this.#used(owner);
    const quota = this.#kept(owner);
    const remaining = Math.max(0, Math.floor(quota - used));
    const resetSeconds = Math.ceil(used / this.#perSecond(owner));
    return { name, quota, windowSeconds, remaining, resetSeconds };
  }

  #perSecond(owner: string): number {
    const { perSecond } = this.#options;
    return typeof perSecond === 'number' ? perSecond : perSecond(owner);
  }

  #kept(owner: string): number {
    return this.#perSecond(owner) * this.#options.keptSeconds;
  }

  #used(owner: string): number {
    const use = this.#uses.get(owner);
    if (use === undefined) return 0;
    const paid = ((this.#now() - use.atMs) * this.#perSecond(owner)) / 1_000;
    return Math.max(0, use.used - paid);
  }
}
