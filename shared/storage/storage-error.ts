import { PartProblem } from '../process/part-problem.ts';

/** The storage refused a request or did not answer. Its message is for operators. */
export class StorageError extends PartProblem {
  override readonly name = 'StorageError';
}
