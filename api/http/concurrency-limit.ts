import { ProblemError } from './problem.ts';
import type { RequestProblemCode } from './request-problem-codes.ts';

/** The maximum at once, and the refusal beyond it. */
export interface ConcurrencyBound {
  readonly max: number;
  readonly code: RequestProblemCode;
  readonly detail: string;
}

/** Limits what runs at once, in the process and for each caller. */
export class ConcurrencyLimit {
  readonly #perProcess: ConcurrencyBound;
  readonly #perCaller: ConcurrencyBound;
  readonly #byCaller = new Map<string, number>();
  #taken = 0;

  constructor(perProcess: ConcurrencyBound, perCaller: ConcurrencyBound) {
    this.#perProcess = perProcess;
    this.#perCaller = perCaller;
  }

  /** How many slots are taken. */
  taken(): number {
    return this.#taken;
  }

  /** Takes a slot and returns the function that frees it. @throws ProblemError if there is none. */
  take(callerId: string): () => void {
    const ofCaller = this.#byCaller.get(callerId) ?? 0;
    if (ofCaller >= this.#perCaller.max) throw refusal(this.#perCaller);
    if (this.#taken >= this.#perProcess.max) throw refusal(this.#perProcess);
    this.#taken += 1;
    this.#byCaller.set(callerId, ofCaller + 1);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      this.#taken -= 1;
      const left = (this.#byCaller.get(callerId) ?? 1) - 1;
      if (left === 0) this.#byCaller.delete(callerId);
      else this.#byCaller.set(callerId, left);
    };
  }
}

/** Limits concurrent long answers: each keeps a connection to the database or to storage while the client reads. */
export function longAnswerLimit(caller: string, advice: string): ConcurrencyLimit {
  const perCaller = 2;
  const detail = `At most ${perCaller} long answers are sent at once to ${caller}. ${advice}`;
  const bound = (max: number): ConcurrencyBound => ({ max, code: 'rate-limited', detail });
  return new ConcurrencyLimit(bound(8), bound(perCaller));
}

/** Limits concurrent uploads. */
export function uploadLimit(limits: {
  readonly maxUploads: number;
  readonly maxUploadsPerOrganization: number;
}): ConcurrencyLimit {
  const { maxUploads, maxUploadsPerOrganization } = limits;
  const tooMany = 'Too many concurrent uploads. Try again later.';
  const tooManyOfOne = `The organization has reached its limit of ${maxUploadsPerOrganization} concurrent uploads.`;
  return new ConcurrencyLimit(
    { max: maxUploads, code: 'unavailable', detail: tooMany },
    { max: maxUploadsPerOrganization, code: 'rate-limited', detail: tooManyOfOne },
  );
}

function refusal({ code, detail }: ConcurrencyBound): ProblemError {
  return new ProblemError(code, detail, { headers: { 'Retry-After': '5' } });
}
