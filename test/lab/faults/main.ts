import { printTable } from '../bench/measure.ts';
import { hasOwnNetwork, openOwnNetwork, runInOwnNetwork } from '../../support/hosts/own-network.ts';
import { findPostgresFolder } from '../../support/find-program.ts';
import { AWAY_FAULTS } from './away-faults.ts';
import { FAILOVER_FAULTS } from './failover-faults.ts';
import { fakeClockLibrary } from './stack/fake-clock.ts';
import type { ChangeOutcome } from './change-witness.ts';
import type { Fault, Need } from './fault.ts';
import { startFaultParts, type FaultParts } from './stack/fault-parts.ts';
import { writeJunitReport, type ReportedCase } from '../../support/junit-report.ts';
import { IS_TIMED, MAX_RECOVERY_SECONDS } from './max-recovery.ts';
import { PART_FAULTS } from './part-faults.ts';
import { previousCommit } from './stack/previous-version.ts';
import { PROCESS_FAULTS } from './process-faults.ts';
import { runFault, type FaultResult } from './run-fault.ts';
import { findCompiler } from './stack/slow-sync.ts';
import { canMount } from './stack/small-disk.ts';
import { VERSION_FAULTS } from './version-faults.ts';

const FAULTS: readonly Fault[] = [
  ...PROCESS_FAULTS,
  ...PART_FAULTS,
  ...AWAY_FAULTS,
  ...FAILOVER_FAULTS,
  ...VERSION_FAULTS,
];
const MAX_REPORTED_ISSUES = 5;
const HEADINGS = [
  'fault',
  'parts',
  'times',
  'imports',
  'acknowledged',
  'lost',
  'lost tail',
  'twice',
  'half-visible',
  'orphans',
  'failed',
  'recovery s',
  'longest s',
];

interface NeedOfFault {
  isMet(parts: FaultParts): boolean;
  readonly hint: string;
  /** It depends on the history, not on the machine: the fault may be left out where every part is required. */
  readonly isOptional?: boolean;
}

/** How to meet each need, for a machine that lacks it. */
const NEEDS: Readonly<Record<Need, NeedOfFault>> = {
  'redis and S3': {
    isMet: ({ redis, s3 }) => redis !== null && s3 !== null,
    hint: 'redis-server and versitygw',
  },
  'mount namespace': { isMet: canMount, hint: 'the right to mount in a namespace (root)' },
  'network namespaces': {
    isMet: () => hasOwnNetwork,
    hint: 'the right to make network namespaces (root) and ip (Debian: apt-get install iproute2)',
  },
  'PostgreSQL tools': {
    isMet: () => findPostgresFolder() !== null,
    hint: 'pg_basebackup (Debian: apt-get install postgresql)',
  },
  'C compiler': { isMet: () => findCompiler() !== null, hint: 'a C compiler (Debian: apt-get install gcc)' },
  'previous version': {
    isMet: () => previousCommit() !== null,
    hint: 'the history of the repository',
    isOptional: true,
  },
  faketime: { isMet: () => fakeClockLibrary() !== null, hint: 'faketime (Debian: apt-get install faketime)' },
};

function issuesOf({ outcome, strange }: FaultResult): string[] {
  const { lost, twice, halfVisible, orphans, failed } = outcome;
  return [...lost, ...twice, ...halfVisible, ...orphans, ...failed, ...strange];
}

function rowOf({ fault, outcome, ...result }: FaultResult): string[] {
  const { lost, lostTail, twice, halfVisible, orphans, failed } = outcome;
  const counts = [lost, lostTail, twice, halfVisible, orphans, failed].map(({ length }) => String(length));
  const numbers = [result.occurrences, result.imports, result.acknowledged].map(String);
  const seconds = [result.recoveryMs, result.longestMs].map((ms) => (ms / 1_000).toFixed(1));
  return [fault.name, fault.parts, ...numbers, ...counts, ...seconds];
}

function contentLine({ outcome: { content } }: FaultResult): string {
  const { files, exports, bytes, durationMs } = content;
  const seconds = (durationMs / 1_000).toFixed(1);
  return `compared in ${seconds} s: ${files} downloads of files and ${exports} exports, ${bytes} bytes`;
}

function changesLine({ seed, changes, calls, repeats, issues }: ChangeOutcome): string {
  return `${changes} changes of seed ${seed} followed, ${calls} calls of webhooks, ${repeats} of them repeats, ${issues.length} issues`;
}

/** The missing requirements of a fault. */
function missing(fault: Fault, parts: FaultParts): readonly NeedOfFault[] {
  return (fault.needs ?? []).map((need) => NEEDS[need]).filter((need) => !need.isMet(parts));
}

/** Reports that a fault is left out: a failure where the machine should have had what it needs. */
function leaveOut({ name }: Fault, lacks: readonly NeedOfFault[]): ReportedCase {
  console.error(`Left out: ${name}. It needs ${lacks.map(({ hint }) => hint).join(' and ')}.`);
  const isRequired =
    process.env['REQUIRE_ALL_PARTS'] === '1' && lacks.some(({ isOptional }) => isOptional !== true);
  return { name, ending: isRequired ? 'failed' : 'skipped' };
}

/** Runs each requested fault in turn; returns the result of each. */
async function runFaults(
  parts: FaultParts,
  wanted: readonly Fault[],
  imports: number,
): Promise<readonly ReportedCase[]> {
  const rows = [HEADINGS];
  const cases: ReportedCase[] = [];
  for (const fault of wanted) {
    const lacks = missing(fault, parts);
    if (lacks.length > 0) {
      cases.push(leaveOut(fault, lacks));
      continue;
    }
    const result = await runFault(parts, fault, imports);
    const row = rowOf(result);
    rows.push(row);
    console.error(row.join(' | '));
    console.error(`  ${contentLine(result)}`);
    if (result.changes !== null) console.error(`  ${changesLine(result.changes)}`);
    const issues = issuesOf(result);
    if (IS_TIMED && result.recoveryMs > (fault.maxRecoverySeconds ?? MAX_RECOVERY_SECONDS) * 1_000)
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
    if (report !== undefined) await writeJunitReport(report, 'faults', cases);
  } finally {
    await parts.stop();
  }
}

await main();
