import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.ts';

/** For how many owners the use is remembered. */
const REMEMBERED = 10_000;

/** The share of one owner in each second. */
export interface FairRateOptions {
  /** The name of the counted things, in the plural, such as `requests`: for the refusal. */
  readonly what: string;
  readonly perSecond: number;
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
  readonly #kept: number;
  readonly #now: () => number;
  readonly #uses = new LRUCache<string, Use>(atMost(REMEMBERED));

  constructor(options: FairRateOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#kept = options.perSecond * options.keptSeconds;
    this.#now = now;
  }

  /** Counts what an owner uses. */
  spend(owner: string, amount: number): void {
    this.#uses.set(owner, { used: this.#used(owner) + amount, atMs: this.#now() });
  }

  /** The time that an owner has to wait until something is left; 0: none. */
  waitMs(owner: string): number {
    const over = this.#used(owner) - this.#kept;
    return over < 0 ? 0 : Math.ceil((over * 1_000) / this.#options.perSecond) + 1;
  }

  /** @throws OverRateError if the owner has to wait */
  requireLeft(owner: string): void {
    const waitMs = this.waitMs(owner);
    if (waitMs === 0) return;
    const { what, perSecond } = this.#options;
    throw new OverRateError(`The organization has used up its ${perSecond} ${what} in a second.`, waitMs);
  }

  /** What an owner has left: `perSecond` is added to it in each second, up to what is kept. */
  use(owner: string): RateUse {
    const { what: name, perSecond, keptSeconds: windowSeconds } = this.#options;
    const used = this.#used(owner);
    const remaining = Math.max(0, Math.floor(this.#kept - used));
    const resetSeconds = Math.ceil(used / perSecond);
    return { name, quota: this.#kept, windowSeconds, remaining, resetSeconds };
  }

  #used(owner: string): number {
    const use = this.#uses.get(owner);
    if (use === undefined) return 0;
    const paid = ((this.#now() - use.atMs) * this.#options.perSecond) / 1_000;
    return Math.max(0, use.used - paid);
  }
}
