import type { RequestHandler } from 'express';
import { ProblemError } from './problem.ts';

/** How far a stop has come. */
export class Stop {
  #isLeaving = false;
  #isRefusing = false;

  /** Not ready any more: whoever spreads the load sends no more, what comes all the same is served. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  leave(): void {
    this.#isLeaving = true;
  }

  /** From now on new requests are refused; those that run are finished. */
  refuse(): void {
    this.#isLeaving = true;
    this.#isRefusing = true;
  }

  /** Has clients go to another process: their connections end with the next answer. */
  handler(): RequestHandler {
    return (_request, response, next) => {
      if (this.#isLeaving) response.set('Connection', 'close');
      if (this.#isRefusing) {
        throw new ProblemError('unavailable', 'The process is stopping. Send the request again.', {
          headers: { 'Retry-After': '1' },
        });
      }
      next();
    };
  }
}
