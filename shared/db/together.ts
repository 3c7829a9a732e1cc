import { setImmediate as nextTurn } from 'node:timers/promises';
import { codeOf } from '../process/error-code.ts';

/** The requests of one statement at most. */
const MOST_AT_ONCE = 64;

/** A SQLSTATE, which has a digit, unlike `EPIPE`: the server has refused the statement and undone it. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** Sends requests in one statement: a result for each, in their order. */
export type SendTogether<Request, Result> = (requests: readonly Request[]) => Promise<readonly Result[]>;

/**
 * Sends requests in one statement. If the server refuses it, each request goes by itself, so that one that fails spoils no
 * other. If no answer arrives, all of them may have been written, and all fail.
 */
export async function together<Request, Result>(
  requests: readonly Request[],
  send: SendTogether<Request, Result>,
): Promise<readonly PromiseSettledResult<Result>[]> {
  try {
    return (await send(requests)).map((value) => ({ status: 'fulfilled', value }));
  } catch (reason) {
    if (requests.length === 1 || !SQLSTATE.test(codeOf(reason) ?? ''))
      return requests.map(() => ({ status: 'rejected', reason }));
    const alone = requests.map((each) => together([each], send));
    return (await Promise.all(alone)).flat();
  }
}

interface Waiting<Request, Result> {
  readonly request: Request;
  readonly resolve: (result: Result | PromiseLike<Result>) => void;
}

/** Sends the requests of each turn of the event loop in one statement, as `together` does. */
export class TurnBatches<Request, Result> {
  readonly #send: SendTogether<Request, Result>;
  #waiting: Waiting<Request, Result>[] = [];

  constructor(send: SendTogether<Request, Result>) {
    this.#send = send;
  }

  /** @throws what the statement throws for this request alone */
  async add(request: Request): Promise<Result> {
    const result = new Promise<Result>((resolve) => this.#waiting.push({ request, resolve }));
    if (this.#waiting.length === 1) void this.#atEndOfTurn();
    return result;
  }

  async #atEndOfTurn(): Promise<void> {
    await nextTurn();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < waiting.length; from += MOST_AT_ONCE) {
      const batch = waiting.slice(from, from + MOST_AT_ONCE);
      void settle(
        batch,
        together(
          batch.map(({ request }) => request),
          this.#send,
        ),
      );
    }
  }
}

/** Gives each request its result. */
export async function settle<Request, Result>(
  batch: readonly Waiting<Request, Result>[],
  results: Promise<readonly PromiseSettledResult<Result>[]>,
): Promise<void> {
  const settled = await results;
  for (const [index, { resolve }] of batch.entries()) {
    const result = settled[index];
    if (result?.status === 'fulfilled') resolve(result.value);
    else resolve(Promise.reject(result?.reason as Error));
  }
}
