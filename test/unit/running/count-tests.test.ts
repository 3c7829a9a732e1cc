import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeFaultReport } from '../../faults/fault-report.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const REPORTS = path.join(ROOT, 'test/fixtures/test-reports');
/** Recorded: two tests that pass, one that fails, two left out, a file that does not load. */
const VITEST = path.join(REPORTS, 'vitest.xml');
/** Recorded: two operations that fail. */
const SCHEMATHESIS = path.join(REPORTS, 'schemathesis.xml');

interface Counted {
  readonly exitCode: number;
  readonly lines: readonly string[];
}

async function countTests(exitCode: number, reports: readonly string[]): Promise<Counted> {
  const script = path.join(ROOT, '.ci/count-tests.mjs');
  const args = [script, String(exitCode), ...reports];
  const ended = await promisify(execFile)(process.execPath, args).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: unknown) => error as { code: number; stdout: string },
  );
  return { exitCode: ended.code, lines: ended.stdout.split('\n') };
}

async function withFile(act: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'count-tests-'));
  try {
    await act(path.join(folder, 'report.xml'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('the last line adds up the tests of all reports', async () => {
  expect(await countTests(1, [VITEST, SCHEMATHESIS])).toEqual({
    exitCode: 1,
    lines: ['3 passed, 4 failed, 2 skipped', ''],
  });
});

test('the report of the faults counts each fault by how it went', async () => {
  await withFile(async (report) => {
    const endings = ['passed', 'passed', 'failed', 'skipped', 'skipped', 'skipped'] as const;
    await writeFaultReport(
      report,
      endings.map((ending, index) => ({ name: `fault ${index}`, ending })),
    );
    const { lines } = await countTests(1, [report]);
    expect(lines).toEqual(['2 passed, 1 failed, 3 skipped', '']);
  });
});

test.each([1, 2, 127])('a run that ended with %i ends so, with at least one failure', async (exitCode) => {
  const missing = path.join(REPORTS, 'nothing.xml');
  const line = '0 passed, 1 failed, 0 skipped';
  expect(await countTests(exitCode, [missing])).toEqual({ exitCode, lines: [line, ''] });
});

test('a run that succeeded without one of its reports has failed', async () => {
  await withFile(async (report) => {
    await writeFaultReport(report, [{ name: 'fault', ending: 'passed' }]);
    expect(await countTests(0, [report])).toEqual({
      exitCode: 0,
      lines: ['1 passed, 0 failed, 0 skipped', ''],
    });
    const { exitCode, lines } = await countTests(0, [report, path.join(REPORTS, 'nothing.xml')]);
    expect([exitCode, lines.at(-2)]).toEqual([1, '1 passed, 1 failed, 0 skipped']);
  });
});

test('a run that succeeded with a report that breaks off has failed', async () => {
  await withFile(async (report) => {
    const whole = await readFile(SCHEMATHESIS, 'utf8');
    await writeFile(report, whole.slice(0, whole.indexOf('</testsuite>')));
    const { exitCode, lines } = await countTests(0, [report]);
    expect(exitCode).toBe(1);
    expect(lines.at(-2)).toMatch(/^\d+ passed, \d+ failed, \d+ skipped$/);
  });
});
