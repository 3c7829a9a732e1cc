import { writeFile } from 'node:fs/promises';

/** The result of one fault. */
export interface FaultCase {
  readonly name: string;
  readonly ending: 'passed' | 'failed' | 'skipped';
}

const ELEMENTS = { passed: '', failed: '<failure/>', skipped: '<skipped/>' } as const;

/** Writes a JUnit report with a test case for each fault, so that tests can be counted. */
export async function writeFaultReport(file: string, cases: readonly FaultCase[]): Promise<void> {
  const elements = cases.map(({ name, ending }) => `<testcase name="${name}">${ELEMENTS[ending]}</testcase>`);
  await writeFile(file, `<testsuite name="faults">\n${elements.join('\n')}\n</testsuite>\n`);
}
