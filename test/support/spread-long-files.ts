import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Long files begin within the first three quarters of a project. */
const LONG_PART = 1 / 4;

/**
 * Runs one project after the other, because each process of a project loads the product anew. Within a project the files
 * that took longest in the last run are spread among the others: most of their time is waiting, and where every process
 * runs one of them, the processors are idle.
 */
export class SpreadLongFiles extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const longestFirst = await super.sort(files);
    return this.ctx.projects.flatMap((project) =>
      spread(longestFirst.filter((each) => each.project === project)),
    );
  }
}

function spread(longestFirst: readonly TestSpecification[]): TestSpecification[] {
  const others = [...longestFirst];
  const long = others.splice(0, Math.ceil(others.length * LONG_PART));
  return [...long.flatMap((each) => [each, ...others.splice(0, 2)]), ...others];
}
