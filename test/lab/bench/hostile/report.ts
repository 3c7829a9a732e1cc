import { percentileMs, type HonestResult, type HonestResults } from './honest-load.ts';
import { HOSTILE_ATTACKS } from './attacks.ts';
import type { HostileReport } from './client.ts';
import { isAlive, type AttackedService, type ServiceProcess } from './service.ts';
import { printTable } from '../measure.ts';

const MOST_GROWTH = 2;

/** The answers to the honest organizations, and their cost. */
export interface Phase {
  readonly results: HonestResults;
  /** Processor time by its user. */
  readonly usedMsPerSecond: ReadonlyMap<string, number>;
  /** The longest time for which the event loop of each process was blocked; null: it did not answer. */
  readonly gaps: ReadonlyMap<ServiceProcess, number | null>;
}

/** Prints the times of the honest organizations' calls; the command fails where one kind of call doubles or fails. */
export function printHonest(alone: Phase, beside: Phase): void {
  const rows = [['call', 'calls', 'p50 alone', 'beside', 'p99 alone', 'beside', 'growth', 'failed']];
  const none: HonestResult = { durationsMs: [], failures: [] };
  for (const kind of alone.results.keys()) {
    const [before = none, after = none] = [alone, beside].map(({ results }) => results.get(kind));
    const times = [0.5, 0.99].flatMap((share) => [before, after].map((each) => percentileMs(each, share)));
    const growth = percentileMs(after, 0.99) / percentileMs(before, 0.99);
    if (growth >= MOST_GROWTH || after.failures.length > 0) process.exitCode = 1;
    rows.push([
      ...[kind, String(after.durationsMs.length)],
      ...times.map((ms) => `${ms.toFixed(1)} ms`),
      ...[growth.toFixed(2), String(after.failures.length)],
    ]);
  }
  console.log('\nTen organizations, alone and beside a hostile one');
  printTable(rows);
}

/** Prints the processor time by its user. */
export function printTimes(alone: Phase, beside: Phase): void {
  const rows = [['processor time in a second', 'alone', 'beside']];
  const sums = [0, 0];
  for (const who of alone.usedMsPerSecond.keys()) {
    const used = [alone, beside].map(({ usedMsPerSecond }) => usedMsPerSecond.get(who) ?? 0);
    for (const [index, ms] of used.entries()) sums[index] = (sums[index] ?? 0) + ms;
    rows.push([who, ...used.map((ms) => `${ms.toFixed(0)} ms`)]);
  }
  rows.push(['all', ...sums.map((ms) => `${ms.toFixed(0)} ms`)]);
  console.log('');
  printTable(rows);
}

/** Prints how long the event loops were blocked; the command fails where a process has ended. */
export function printProcesses({ processes }: AttackedService, alone: Phase, beside: Phase): void {
  const rows = [['process', 'worst gap of the event loop alone', 'beside', 'still runs']];
  const ms = (gap: number | null | undefined) => (typeof gap === 'number' ? `${gap.toFixed(0)} ms` : '–');
  for (const each of processes) {
    const runs = isAlive(each.pid);
    if (!runs) process.exitCode = 1;
    rows.push([each.name, ...[alone, beside].map(({ gaps }) => ms(gaps.get(each))), runs ? 'yes' : 'no']);
  }
  console.log('');
  printTable(rows);
}

/** Prints the answers to the hostile organization. */
export function printAnswers(report: HostileReport): void {
  const rows = [['attack', 'at once', 'answers by status; 0: none']];
  for (const { name, lanes } of HOSTILE_ATTACKS) {
    const answers = Object.entries(report[name] ?? {}).map(([status, count]) => `${status}: ${count}`);
    if (answers.length > 0) rows.push([name, String(lanes), answers.join(', ')]);
  }
  console.log('');
  printTable(rows);
}
