import type { LimitUse } from './fair-slots.ts';

/** Owners that start work within this time of each other share the event loop. */
const SHARING_MS = 1_000;

type Start = () => void;

/**
 * Shares the event loop: while several owners have work, each starts one piece of it in each turn of the loop. A burst
 * of one owner thus delays another by one piece of work. An owner that is alone does not wait.
 */
export class FairTurns {
  /** Owners that have started work in this turn, each with what waits for its next turns. */
  readonly #waiting = new Map<string, Start[]>();
  #isScheduled = false;
  #recent = new Set<string>();
  #before = new Set<string>();
  #recentSinceMs = performance.now();

  /** The numbers of owners that have started work in this turn, and of pieces of work that wait for the next ones. */
  use(): LimitUse {
    let waiting = 0;
    for (const starts of this.#waiting.values()) waiting += starts.length;
    return { used: this.#waiting.size, waiting };
  }

  /** Resolves when the owner may start a piece of work. */
  async awaitTurn(owner: string): Promise<void> {
    const waiting = this.#waiting.get(owner);
    if (!this.#isShared(owner) && waiting === undefined) return;
    if (waiting === undefined) {
      this.#waiting.set(owner, []);
      this.#schedule();
      return;
    }
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
  }

  /** Whether another owner has started work lately. */
  #isShared(owner: string): boolean {
    const now = performance.now();
    if (now - this.#recentSinceMs > SHARING_MS) {
      this.#before = now - this.#recentSinceMs > 2 * SHARING_MS ? new Set() : this.#recent;
      this.#recent = new Set();
      this.#recentSinceMs = now;
    }
    this.#recent.add(owner);
    const others = (owners: ReadonlySet<string>) => owners.size > (owners.has(owner) ? 1 : 0);
    return others(this.#recent) || others(this.#before);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#startNext();
    });
  }

  #startNext(): void {
    for (const [owner, waiting] of this.#waiting) {
      const start = waiting.shift();
      if (start === undefined) this.#waiting.delete(owner);
      else start();
    }
    if (this.#waiting.size > 0) this.#schedule();
  }
}
