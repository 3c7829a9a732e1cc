import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { processorMs } from '../process-tree.ts';

/** Processor time of a process by its threads, in milliseconds. */
export interface ThreadTimes {
  readonly main: number;
  /** For those that run tasks, with a lower priority than others. */
  readonly low: number;
  /** For all others: those of V8 and of libuv, and those that have ended. */
  readonly others: number;
}

const TICK_MS = 10;

/** The processor time of a process's threads so far (proc_pid_stat(5)). */
export function threadTimes(pid: number): ThreadTimes {
  const times = { main: 0, low: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readStat(`/proc/${pid}/task/${thread}/stat`);
    const ms = (stat(14) + stat(15)) * TICK_MS;
    if (Number(thread) === pid) times.main += ms;
    else if (stat(19) === os.constants.priority.PRIORITY_BELOW_NORMAL) times.low += ms;
  }
  return { ...times, others: processorMs(pid) - times.main - times.low };
}

/** The fields of a thread by their numbers; 0 where it has ended. */
function readStat(file: string): (field: number) => number {
  let text = '';
  try {
    text = readFileSync(file, 'latin1');
  } catch {
    // It ended in the meantime.
  }
  // The name in brackets may contain anything; field 3 starts after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (field) => Number(fields[field - 3] ?? 0);
}
