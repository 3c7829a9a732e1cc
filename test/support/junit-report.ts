import { writeFile } from 'node:fs/promises';

/** How one case of a report ended. */
export type Ending = 'passed' | 'failed' | 'skipped';

/** One case of a report. */
export interface ReportedCase {
  readonly name: string;
  readonly ending: Ending;
}

const ELEMENTS = { passed: '', failed: '<failure/>', skipped: '<skipped/>' } as const;

/** Writes a JUnit report with these cases, so that they can be counted. */
export async function writeJunitReport(
  file: string,
  suite: string,
  cases: readonly ReportedCase[],
): Promise<void> {
  const elements = cases.map(({ name, ending }) => `<testcase name="${name}">${ELEMENTS[ending]}</testcase>`);
  await writeFile(file, `<testsuite name="${suite}">\n${elements.join('\n')}\n</testsuite>\n`);
}
