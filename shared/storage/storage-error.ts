/** What is wrong with the storage, and what an operator does about it. */
export interface StorageProblem {
  readonly problem: string;
  /** Null where only the store's own log knows more. */
  readonly advice: string | null;
}

/** The storage refused a request or did not answer. Its message is for operators. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly problem: string;
  readonly advice: string | null;

  constructor({ problem, advice }: StorageProblem, cause: unknown) {
    super(advice === null ? problem : `${problem} ${advice}`, { cause });
    this.problem = problem;
    this.advice = advice;
  }
}
