/** One issue, and where in the request's body it is (JSON Pointer). */
export interface StructureIssue {
  readonly pointer: string;
  readonly detail: string;
}

const MAX_KEPT = 100;

/** Collects issues: the first ones are kept, all are counted. */
export class IssueList {
  readonly #kept: StructureIssue[] = [];
  #total = 0;

  add(pointer: string, detail: string): void {
    this.#total += 1;
    if (this.#kept.length < MAX_KEPT) this.#kept.push({ pointer, detail });
  }

  get kept(): readonly StructureIssue[] {
    return this.#kept;
  }

  get total(): number {
    return this.#total;
  }
}
