/** A scarce resource, and the part of it that one owner may use. */
export interface FairSlotsOptions {
  /** The name of the limited things, in the plural, such as `uploads`: for the refusal and the metrics. */
  readonly resource: string;
  /** The kind of owner, for the refusal. Default: an organization. */
  readonly ownerKind?: string;
  /** Slots of the process. */
  readonly max: number;
  /**
   * Slots of one owner, usually an organization: it can use up its own part only. Without it, as many as are free: the
   * more owners there are, the fewer each of them has.
   */
  readonly maxPerOwner?: number;
  /** Takers of one owner that may wait for a slot; any other is refused at once. Default 0: nobody waits. */
  readonly maxWaitingPerOwner?: number;
  /** A taker that has waited this long is refused. */
  readonly maxWaitMs?: number;
}

/** The current use of a limit; without `max` it is not a number of slots. */
export interface LimitUse {
  readonly used: number;
  readonly waiting: number;
  readonly max?: number;
}

/** Frees the slots that it was returned for; a second call does nothing. */
export type FreeSlots = () => void;

/** There is no slot: the owner has used up its own part, or all owners together have used up all slots. */
export class NoSlotError extends Error {
  override readonly name = 'NoSlotError';
  readonly resource: string;
  readonly ownerKind: string;
  readonly usedUpBy: 'owner' | 'process';
  /** The most that the owner, or the process, may use at once. */
  readonly max: number;

  constructor(
    { resource, ownerKind = 'organization' }: FairSlotsOptions,
    usedUpBy: 'owner' | 'process',
    max: number,
  ) {
    super(`no slot for ${resource}: used up by the ${usedUpBy}`);
    this.resource = resource;
    this.ownerKind = ownerKind;
    this.usedUpBy = usedUpBy;
    this.max = max;
  }
}

interface Taker {
  readonly slots: number;
  readonly start: (free: FreeSlots) => void;
}

/**
 * Shares a scarce resource among owners. An owner never has more than its part; where takers wait, owners have their
 * turns one after the other, so that one with a thousand takers delays another by one of them.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #takenBy = new Map<string, number>();
  /** Takers that wait, by owner; the owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<Taker>>();
  #taken = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** The numbers of taken slots, of waiting takers, and of all slots. */
  use(): LimitUse {
    return { used: this.#taken, waiting: this.waiting(), max: this.#options.max };
  }

  /** The number of taken slots. */
  taken(): number {
    return this.#taken;
  }

  /** The number of slots that an owner has taken. */
  takenBy(owner: string): number {
    return this.#takenBy.get(owner) ?? 0;
  }

  /** The numbers of slots of all owners that have taken some. */
  takenByEach(): ReadonlyMap<string, number> {
    return this.#takenBy;
  }

  /** The number of waiting takers. */
  waiting(): number {
    let waiting = 0;
    for (const takers of this.#waiting.values()) waiting += takers.size;
    return waiting;
  }

  /** Takes slots that are free now. @throws NoSlotError if they are not. */
  takeNow(owner: string, slots = 1): FreeSlots {
    const shortOf = this.#shortOf(owner, slots);
    if (shortOf !== null) throw this.#refusal(owner, shortOf);
    return this.#give(owner, slots);
  }

  /** Takes slots, and waits for them if need be. @throws NoSlotError if too many of this owner wait, or for too long. */
  async take(owner: string, slots = 1, maxWaitMs = this.#options.maxWaitMs ?? 0): Promise<FreeSlots> {
    const shortOf = this.#shortOf(owner, slots);
    if (this.#waiting.size === 0 && shortOf === null) return this.#give(owner, slots);
    const { maxWaitingPerOwner = 0 } = this.#options;
    const waiting = this.#waiting.get(owner) ?? new Set();
    if (waiting.size >= maxWaitingPerOwner) throw this.#refusal(owner, shortOf ?? 'owner');
    return new Promise((resolve, reject) => {
      const taker: Taker = {
        slots,
        start(free) {
          clearTimeout(timer);
          resolve(free);
        },
      };
      const timer = setTimeout(() => {
        const usedUpBy = this.#shortOf(owner, slots) ?? 'owner';
        this.#stopWaiting(owner, taker);
        reject(this.#refusal(owner, usedUpBy));
      }, maxWaitMs);
      this.#waiting.set(owner, waiting.add(taker));
      this.#startWaiting();
    });
  }

  /** The owner that has used up the slots; null if there are enough. More slots than there are at all count as all of them. */
  #shortOf(owner: string, slots: number): 'owner' | 'process' | null {
    const { max, maxPerOwner = max - this.#taken } = this.#options;
    const isFree = (taken: number, most: number) => taken + Math.min(slots, most) <= most;
    if (!isFree(this.takenBy(owner), maxPerOwner)) return 'owner';
    return isFree(this.#taken, max) ? null : 'process';
  }

  #refusal(owner: string, usedUpBy: 'owner' | 'process'): NoSlotError {
    const { max, maxPerOwner = this.takenBy(owner) } = this.#options;
    return new NoSlotError(this.#options, usedUpBy, usedUpBy === 'owner' ? maxPerOwner : max);
  }

  #give(owner: string, slots: number): FreeSlots {
    this.#count(owner, slots);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      this.#count(owner, -slots);
      this.#startWaiting();
    };
  }

  #count(owner: string, slots: number): void {
    this.#taken += slots;
    const ofOwner = this.takenBy(owner) + slots;
    if (ofOwner === 0) this.#takenBy.delete(owner);
    else this.#takenBy.set(owner, ofOwner);
  }

  /** Gives free slots to waiting takers, one of each owner in turn. */
  #startWaiting(): void {
    for (const [owner, [taker]] of this.#waiting) {
      if (taker === undefined) continue;
      const shortOf = this.#shortOf(owner, taker.slots);
      // A large taker is not overtaken for ever by small ones of others: the process's slots wait for it.
      if (shortOf === 'process') return;
      if (shortOf === 'owner') continue;
      this.#stopWaiting(owner, taker);
      taker.start(this.#give(owner, taker.slots));
    }
  }

  /** Removes a taker; its owner's turn comes again after those of the others. */
  #stopWaiting(owner: string, taker: Taker): void {
    const takers = this.#waiting.get(owner);
    if (takers === undefined) return;
    takers.delete(taker);
    this.#waiting.delete(owner);
    if (takers.size > 0) this.#waiting.set(owner, takers);
  }
}
