import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Long files begin within the first three quarters of a run. */
const LONG_PART = 1 / 4;

/**
 * Spreads the files that took longest in the last run among the others. Most of their time is waiting: where every
 * worker runs one of them, the processors are idle.
 */
export class SpreadLongFiles extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const longestFirst = await super.sort(files);
    const long = longestFirst.splice(0, Math.ceil(files.length * LONG_PART));
    return [...long.flatMap((each) => [each, ...longestFirst.splice(0, 2)]), ...longestFirst];
  }
}
