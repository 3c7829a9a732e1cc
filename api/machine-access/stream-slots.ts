import { ProblemError } from '../http.ts';

const PER_KEY = 2;
const PER_PROCESS = 8;
const RETRY_AFTER_SECONDS = '5';

/** Bounds the long answers at once, since each holds a connection to the database. */
export class StreamSlots {
  #all = 0;
  readonly #byKey = new Map<string, number>();

  /** How many long answers are being sent. */
  taken(): number {
    return this.#all;
  }

  /** Takes a slot; the returned function frees it. @throws ProblemError 429 when there is none. */
  take(keyId: string): () => void {
    const ofKey = this.#byKey.get(keyId) ?? 0;
    if (ofKey >= PER_KEY || this.#all >= PER_PROCESS) {
      throw new ProblemError(
        'rate-limited',
        `At most ${PER_KEY} long answers are sent at once for a key. Wait for one to end, or ask for less with limit.`,
        { headers: { 'Retry-After': RETRY_AFTER_SECONDS } },
      );
    }
    this.#all += 1;
    this.#byKey.set(keyId, ofKey + 1);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      this.#all -= 1;
      const left = (this.#byKey.get(keyId) ?? 1) - 1;
      if (left === 0) this.#byKey.delete(keyId);
      else this.#byKey.set(keyId, left);
    };
  }
}
