import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may run before others get a turn. */
const TURN_MS = 4;

/** Lets the event loop turn every few milliseconds of work that never waits. */
export class Pacer {
  #turnStarted = performance.now();

  /** Whether a turn is due. */
  get isDue(): boolean {
    return performance.now() - this.#turnStarted > TURN_MS;
  }

  /** Waits for the next turn. */
  async turn(): Promise<void> {
    await nextTurn();
    this.#turnStarted = performance.now();
  }
}
