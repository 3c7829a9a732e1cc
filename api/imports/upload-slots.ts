import { ProblemError } from '../http/problem.ts';

/** Bounds the uploads at once, of the process and of each organization. */
export class UploadSlots {
  readonly #max: number;
  readonly #maxPerOrganization: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor(max: number, maxPerOrganization: number) {
    this.#max = max;
    this.#maxPerOrganization = maxPerOrganization;
  }

  /**
   * Takes a slot; gives the function that frees it.
   * @throws ProblemError 503 when the process is full, 429 when the organization is.
   */
  take(organizationId: string): () => void {
    const own = this.#taken.get(organizationId) ?? 0;
    const headers = { 'Retry-After': '5' };
    if (own >= this.#maxPerOrganization) {
      throw new ProblemError(
        'rate-limited',
        `The organization has ${own} uploads at once, the most that are taken.`,
        { headers },
      );
    }
    if (this.#total >= this.#max)
      throw new ProblemError('unavailable', 'Too many uploads at once. Try again in a moment.', { headers });
    this.#taken.set(organizationId, own + 1);
    this.#total += 1;
    return () => {
      this.#free(organizationId);
    };
  }

  #free(organizationId: string): void {
    const own = (this.#taken.get(organizationId) ?? 1) - 1;
    if (own === 0) this.#taken.delete(organizationId);
    else this.#taken.set(organizationId, own);
    this.#total -= 1;
  }
}
