const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** Frequent events are reported at once, and then at intervals that double from a second to a minute. */
export class GrowingIntervals {
  #intervalMs = FIRST_MS;
  #dueMs = 0;
  #lastMs = 0;

  /** Whether to report it this time. After two quiet minutes it is new again. */
  isDue(nowMs = performance.now()): boolean {
    if (nowMs - this.#lastMs > 2 * LONGEST_MS) {
      this.#intervalMs = FIRST_MS;
      this.#dueMs = 0;
    }
    this.#lastMs = nowMs;
    if (nowMs < this.#dueMs) return false;
    this.#dueMs = nowMs + this.#intervalMs;
    this.#intervalMs = Math.min(2 * this.#intervalMs, LONGEST_MS);
    return true;
  }
}
