import { setImmediate as nextTurn } from 'node:timers/promises';
import { codeOf } from '../process/error-code.ts';

/** The requests of one statement at most. */
const MOST_AT_ONCE = 64;

/**
 * A SQLSTATE, which has a digit, unlike `EPIPE`: the server has refused the statement and undone it. Where it ends a
 * connection (57P), or a connection pooler has lost it (08), the statement may have been carried out.
 */
const REFUSED = /^(?!08|57P)(?=.*\d)[0-9A-Z]{5}$/;

/** Sends requests in one statement: a result for each, in their order. */
export type SendTogether<Request, Result> = (requests: readonly Request[]) => Promise<readonly Result[]>;

/**
 * Sends requests in one statement; what becomes of each, in their order. If the server refuses it, each request goes by
 * itself, so that one that fails or waits spoils no other. If no answer arrives, all of them may have been written, and all
 * fail.
 */
export function together<Request, Result>(
  requests: readonly Request[],
  send: SendTogether<Request, Result>,
): readonly Promise<Result>[] {
  const sent = sendOnce(requests, send);
  return requests.map(async (request, index) => {
    const results = await sent;
    const [result, of] = results === null ? [await send([request]), 0] : [results, index];
    if (result.length <= of) throw new Error('a statement has no result for a request');
    return result[of] as Result;
  });
}

/** The results of one statement; null where the server refuses it because of some of its requests. */
async function sendOnce<Request, Result>(
  requests: readonly Request[],
  send: SendTogether<Request, Result>,
): Promise<readonly Result[] | null> {
  try {
    return await send(requests);
  } catch (reason) {
    if (requests.length === 1 || !REFUSED.test(codeOf(reason) ?? '')) throw reason;
    return null;
  }
}

/** A request that waits to be sent with others. */
export interface Waiting<Request, Result> {
  readonly request: Request;
  readonly resolve: (result: Promise<Result>) => void;
}

/** Adds a request to those that wait; what becomes of it. */
export async function waitWith<Request, Result>(
  waiting: Waiting<Request, Result>[],
  request: Request,
): Promise<Result> {
  return new Promise<Result>((resolve) => waiting.push({ request, resolve }));
}

/** Sends what waits, as `together` does, until each is written or has failed. */
export async function sendWaiting<Request, Result>(
  waiting: readonly Waiting<Request, Result>[],
  send: SendTogether<Request, Result>,
): Promise<void> {
  const requests = waiting.map(({ request }) => request);
  const results = together(requests, send);
  for (const [index, { resolve }] of waiting.entries()) resolve(results[index] as Promise<Result>);
  await Promise.allSettled(results);
}

/**
 * Sends the requests of each turn of the event loop in one statement, as `together` does. Where no statement runs, it leaves before
 * anything else that the turn does.
 */
export class TurnBatches<Request, Result> {
  readonly #send: SendTogether<Request, Result>;
  #waiting: Waiting<Request, Result>[] = [];
  #running = 0;

  constructor(send: SendTogether<Request, Result>) {
    this.#send = send;
  }

  /** @throws what the statement throws for this request alone */
  async add(request: Request): Promise<Result> {
    const result = waitWith(this.#waiting, request);
    if (this.#waiting.length === 1) void this.#sendSoon();
    return result;
  }

  async #sendSoon(): Promise<void> {
    await (this.#running === 0 ? nextTick() : nextTurn());
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < waiting.length; from += MOST_AT_ONCE)
      void this.#sendNow(waiting.slice(from, from + MOST_AT_ONCE));
  }

  async #sendNow(waiting: readonly Waiting<Request, Result>[]): Promise<void> {
    this.#running += 1;
    await sendWaiting(waiting, this.#send);
    this.#running -= 1;
  }
}

/** After what runs and the promises that it has resolved, before other events. */
async function nextTick(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
