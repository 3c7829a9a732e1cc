import { ProblemError } from './problem.ts';

const PER_HOLDER = 2;
const PER_PROCESS = 8;
const RETRY_AFTER_SECONDS = '5';

/** Bounds the long answers at once: each holds a connection to the database or to storage while a client reads. */
export class StreamSlots {
  #all = 0;
  readonly #byHolder = new Map<string, number>();
  readonly #refusal: string;

  /** `holder` says for whom two are sent at once, `advice` what a client that gets none can do. */
  constructor(holder: string, advice: string) {
    this.#refusal = `At most ${PER_HOLDER} long answers are sent at once for ${holder}. ${advice}`;
  }

  /** How many long answers are being sent. */
  taken(): number {
    return this.#all;
  }

  /** Takes a slot; the returned function frees it. @throws ProblemError 429 when there is none. */
  take(holderId: string): () => void {
    const ofHolder = this.#byHolder.get(holderId) ?? 0;
    if (ofHolder >= PER_HOLDER || this.#all >= PER_PROCESS) {
      throw new ProblemError('rate-limited', this.#refusal, {
        headers: { 'Retry-After': RETRY_AFTER_SECONDS },
      });
    }
    this.#all += 1;
    this.#byHolder.set(holderId, ofHolder + 1);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      this.#all -= 1;
      const left = (this.#byHolder.get(holderId) ?? 1) - 1;
      if (left === 0) this.#byHolder.delete(holderId);
      else this.#byHolder.set(holderId, left);
    };
  }
}
