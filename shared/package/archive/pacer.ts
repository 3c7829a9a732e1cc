/** How long work may run before others get a turn. */
const TURN_MS = 4;

/** Work that waits for its next turn. */
const waiting: (() => void)[] = [];

/** One work goes on in each turn of the event loop, however many wait: what is short is not delayed by all of them. */
function startNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startNext);
}

/** Lets the event loop turn every few milliseconds of work that never waits. */
export class Pacer {
  #turnStarted = performance.now();

  /** Whether a turn is due. */
  get isDue(): boolean {
    return performance.now() - this.#turnStarted > TURN_MS;
  }

  /** Waits for the next turn. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(startNext);
    });
    this.#turnStarted = performance.now();
  }
}
