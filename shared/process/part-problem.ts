/** The problem of a part that the service needs, and the remedy for an operator. */
export interface Problem {
  readonly problem: string;
  /** Null where only the part's own log knows more. */
  readonly advice: string | null;
}

/** A part that the service needs does not work. Its message is for operators. */
export class PartProblem extends Error {
  override readonly name: string = 'PartProblem';
  readonly problem: string;
  readonly advice: string | null;

  constructor({ problem, advice }: Problem, cause?: unknown) {
    super(advice === null ? problem : `${problem} ${advice}`, { cause });
    this.problem = problem;
    this.advice = advice;
  }
}

/** The fields of a log line about an error of a part. */
export function problemFields(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof PartProblem ? { problem: error.problem, advice: error.advice } : { err: error };
}
