// Prints as its last line how many tests passed, failed and were skipped in the JUnit reports of a run.
// usage: count-tests.mjs EXIT_CODE REPORT...
// It exits with the run's exit code. A run that failed reports at least one failure, even where the step that failed
// counts none; a run that succeeded wrote every report.
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';

const [exitCode, ...reports] = process.argv.slice(2);
const hasFailed = exitCode !== '0';
process.exitCode = Number(exitCode);

const counts = { passed: 0, failed: 0, skipped: 0 };
const found = reports.filter((report) => existsSync(report));
for (const report of found) {
  try {
    await count(report);
  } catch (error) {
    complain(`${report} cannot be read: ${error.message}`);
  }
}
for (const report of reports) if (!found.includes(report) && !hasFailed) complain(`${report} is missing`);
if (process.exitCode !== 0 && counts.failed === 0) counts.failed = 1;
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);

function complain(text) {
  console.error(text);
  process.exitCode ||= 1;
}

/** A JUnit test case that did not pass has an element inside it that says how it ended. */
async function count(report) {
  // A run can fail before the dependencies are installed; then there is no report.
  const { SaxesParser } = await import('saxes');
  const parser = new SaxesParser();
  let ending = 'passed';
  parser.on('opentag', ({ name }) => {
    if (name === 'testcase') ending = 'passed';
    if (name === 'failure' || name === 'error') ending = 'failed';
    if (name === 'skipped') ending = 'skipped';
  });
  parser.on('closetag', ({ name }) => {
    if (name === 'testcase') counts[ending] += 1;
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(readFileSync(report, 'utf8')).close();
}
