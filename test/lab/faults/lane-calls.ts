import { setTimeout } from 'node:timers/promises';

const RETRY_MS = 150;
const ANSWER_MS = 60_000;

/** A call of a lane, without the prefix of the API. */
export interface LaneCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** A client that repeats its calls, at the next process each time, until one succeeds. */
export class LaneCalls {
  readonly #urls: readonly string[];
  readonly #credential: Readonly<Record<string, string>>;
  #calls = 0;
  #unanswered = 0;

  constructor(urls: readonly string[], credential: Readonly<Record<string, string>>) {
    this.#urls = urls;
    this.#credential = credential;
  }

  /** The number of failed calls so far, each of which may have had its effect. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Returns the body of the answer. */
  async send({ method = 'GET', path, headers, body }: LaneCall): Promise<string> {
    const unansweredBefore = this.#unanswered;
    for (;;) {
      this.#calls += 1;
      const url = `${this.#urls[this.#calls % this.#urls.length] ?? ''}/api/v8.0${path}`;
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const signal = AbortSignal.timeout(ANSWER_MS);
      const allHeaders = { ...this.#credential, ...headers, ...type };
      const answer = await fetch(url, { method, headers: allHeaders, ...init, signal })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => null);
      if (answer !== null && answer.status < 300) return answer.text;
      // An earlier call has deleted it, and its answer was lost.
      if (answer?.status === 404 && method === 'DELETE' && this.#unanswered > unansweredBefore)
        return answer.text;
      if (answer !== null && answer.status < 500 && answer.status !== 429)
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      this.#unanswered += 1;
      await setTimeout(RETRY_MS);
    }
  }
}
