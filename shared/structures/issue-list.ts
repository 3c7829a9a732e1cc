/** One issue, and where in the request's body it is (JSON Pointer). */
export interface StructureIssue {
  readonly pointer: string;
  readonly detail: string;
}

/** Collects issues: the first ones are kept, all are counted. */
export class IssueList {
  readonly #kept: StructureIssue[] = [];
  readonly #maxKept: number;
  #total = 0;

  constructor(maxKept = 100) {
    this.#maxKept = maxKept;
  }

  add(pointer: string, detail: string): void {
    this.#total += 1;
    if (this.#kept.length < this.#maxKept) this.#kept.push({ pointer, detail });
  }

  get kept(): readonly StructureIssue[] {
    return this.#kept;
  }

  get total(): number {
    return this.#total;
  }
}
