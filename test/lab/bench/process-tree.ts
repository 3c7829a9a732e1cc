// A process and its descendants in /proc (proc(5)); only Linux has it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  /** For all its threads. */
  readonly ownTicks: number;
  /** For its ended children and their ended children. */
  readonly endedTicks: number;
}

function readEntry(pid: number): ProcessEntry | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    // It ended in the meantime.
    return null;
  }
  // The name in brackets may contain anything; field 3, the state, starts after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return { pid, parentPid: field(4), ownTicks: field(14) + field(15), endedTicks: field(16) + field(17) };
}

/** A process and its descendants. */
function readTree(root: number): readonly ProcessEntry[] {
  const entries = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readEntry(Number(name)) ?? []);
  const tree = entries.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...entries.filter(({ parentPid }) => parentPid === pid));
  return tree;
}

/** The kernel reports to user space in hundredths of a second, whatever its own clock. */
const TICKS_PER_SECOND = 100;

/** The processor time that a process and its descendants have used, including those that have ended. */
export function processorMs(pid: number): number {
  const ticks = readTree(pid).reduce((sum, { ownTicks, endedTicks }) => sum + ownTicks + endedTicks, 0);
  return (ticks * 1_000) / TICKS_PER_SECOND;
}

/** Resets the peak of memory of a process and its descendants to their current use. */
export function resetMemoryPeak(pid: number): void {
  for (const each of readTree(pid)) writeFileSync(`/proc/${each.pid}/clear_refs`, '5');
}

/** The peak of resident memory of one process: the largest among itself and its descendants. */
export function memoryPeakMiB(pid: number): number {
  return Math.max(...readTree(pid).map((each) => residentPeakMiB(each.pid)));
}

/** The peak of resident memory of one process alone; 0 where it has ended. */
export function residentPeakMiB(pid: number | 'self'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  } catch {
    return 0;
  }
}
