import { setImmediate as nextTurn } from 'node:timers/promises';

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
