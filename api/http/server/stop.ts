import type { RequestHandler } from 'express';
import { unavailable } from '../problem.ts';

/** How far the shutdown of the process has come. */
export class Stop {
  #isDraining = false;
  #isRefusing = false;

  /** Not ready: the load balancer stops sending requests; those that still arrive are served. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  startDrain(): void {
    this.#isDraining = true;
  }

  /** Refuses new requests from now on; running ones finish. */
  refuse(): void {
    this.#isDraining = true;
    this.#isRefusing = true;
  }

  /** Closes connections after their next answer, so that clients reconnect to another process. */
  handler(): RequestHandler {
    return (_request, response, next) => {
      if (this.#isDraining) response.set('Connection', 'close');
      if (this.#isRefusing) throw unavailable('The process is stopping. Send the request again.', 1);
      next();
    };
  }
}
