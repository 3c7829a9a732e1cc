import { printTable } from '../bench/measure.ts';
import { hasOwnNetwork, openOwnNetwork, runInOwnNetwork } from '../support/hosts/own-network.ts';
import { fakeClockLibrary } from './fake-clock.ts';
import type { Fault, Need } from './fault.ts';
import { startFaultParts } from './fault-parts.ts';
import type { FaultParts } from './fault-parts.ts';
import { writeFaultReport } from './fault-report.ts';
import type { FaultCase } from './fault-report.ts';
import { PART_FAULTS } from './part-faults.ts';
import { PROCESS_FAULTS } from './process-faults.ts';
import { runFault } from './run-fault.ts';
import type { FaultResult } from './run-fault.ts';
import { canMount } from './small-disk.ts';

const FAULTS: readonly Fault[] = [...PROCESS_FAULTS, ...PART_FAULTS];
const MAX_REPORTED_ISSUES = 5;
const HEADINGS = [
  'fault',
  'parts',
  'times',
  'imports',
  'acknowledged',
  'lost',
  'twice',
  'half-visible',
  'orphans',
  'failed',
  'recovery s',
  'longest s',
];

/** How to meet each need, for a machine that lacks it. */
const NEEDS: Readonly<Record<Need, { isMet(parts: FaultParts): boolean; readonly hint: string }>> = {
  'redis and S3': {
    isMet: ({ redis, s3 }) => redis !== null && s3 !== null,
    hint: 'redis-server and versitygw',
  },
  'mount namespace': { isMet: canMount, hint: 'the right to mount in a namespace (root)' },
  'network namespaces': {
    isMet: () => hasOwnNetwork,
    hint: 'the right to make network namespaces (root) and ip (Debian: apt-get install iproute2)',
  },
  faketime: { isMet: () => fakeClockLibrary() !== null, hint: 'faketime (Debian: apt-get install faketime)' },
};

/**
 * The seconds that a service may need to work again once its part is back. 0: the time is reported but not checked,
 * for a machine that is busy with other work.
 */
const maxRecoverySeconds = Number(process.env['FAULT_RECOVERY_SECONDS'] ?? 10);

function issuesOf({ outcome, strange }: FaultResult): string[] {
  const { lost, twice, halfVisible, orphans, failed } = outcome;
  return [...lost, ...twice, ...halfVisible, ...orphans, ...failed, ...strange];
}

function rowOf({ fault, outcome, ...result }: FaultResult): string[] {
  const { lost, twice, halfVisible, orphans, failed } = outcome;
  const counts = [lost, twice, halfVisible, orphans, failed].map(({ length }) => String(length));
  const numbers = [result.occurrences, result.imports, result.acknowledged].map(String);
  const seconds = [result.recoveryMs, result.longestMs].map((ms) => (ms / 1_000).toFixed(1));
  return [fault.name, fault.parts, ...numbers, ...counts, ...seconds];
}

function contentLine({ outcome: { content } }: FaultResult): string {
  const { files, exports, bytes, durationMs } = content;
  const seconds = (durationMs / 1_000).toFixed(1);
  return `compared in ${seconds} s: ${files} downloads of files and ${exports} exports, ${bytes} bytes`;
}

/** What the machine lacks for a fault. */
function missing(fault: Fault, parts: FaultParts): string[] {
  return (fault.needs ?? []).filter((need) => !NEEDS[need].isMet(parts)).map((need) => NEEDS[need].hint);
}

/** Runs each requested fault in turn; returns the result of each. */
async function runFaults(
  parts: FaultParts,
  wanted: readonly Fault[],
  imports: number,
): Promise<readonly FaultCase[]> {
  const rows = [HEADINGS];
  const cases: FaultCase[] = [];
  for (const fault of wanted) {
    const lacks = missing(fault, parts);
    if (lacks.length > 0) {
      console.error(`Left out: ${fault.name}. It needs ${lacks.join(' and ')}.`);
      cases.push({
        name: fault.name,
        ending: process.env['REQUIRE_ALL_PARTS'] === '1' ? 'failed' : 'skipped',
      });
      continue;
    }
    const result = await runFault(parts, fault, imports);
    const row = rowOf(result);
    rows.push(row);
    console.error(row.join(' | '));
    console.error(`  ${contentLine(result)}`);
    const issues = issuesOf(result);
    if (maxRecoverySeconds > 0 && result.recoveryMs > maxRecoverySeconds * 1_000)
      issues.push(`recovery took ${result.recoveryMs} ms`);
    for (const each of issues.slice(0, MAX_REPORTED_ISSUES)) console.error(`  ${each}`);
    cases.push({ name: fault.name, ending: issues.length > 0 ? 'failed' : 'passed' });
  }
  printTable(rows);
  return cases;
}

/** Runs the faults that the command line names. */
async function main(): Promise<void> {
  const names = process.argv.slice(2);
  const wanted = FAULTS.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)));
  const imports = Number(process.env['FAULT_IMPORTS'] ?? 1_000);
  if (wanted.length === 0 || !Number.isInteger(imports) || imports < 1) {
    console.error(`usage: [FAULT_IMPORTS=1000] npm run test:faults [-- part of a name …]`);
    console.error(FAULTS.map(({ name }) => `  ${name}`).join('\n'));
    process.exitCode = 2;
    return;
  }
  if (await runInOwnNetwork()) return;
  if (hasOwnNetwork) openOwnNetwork();
  const parts = await startFaultParts();
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void parts.stop().finally(() => process.exit(1)));
  try {
    const cases = await runFaults(parts, wanted, imports);
    if (cases.some(({ ending }) => ending === 'failed')) process.exitCode = 1;
    const report = process.env['FAULT_REPORT'];
    if (report !== undefined) await writeFaultReport(report, cases);
  } finally {
    await parts.stop();
  }
}

await main();
