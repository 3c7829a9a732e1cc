import { readFileSync, readlinkSync } from 'node:fs';

/** The clock of a thread, in milliseconds. */
export type ThreadClock = () => number;

/**
 * Processor time that the calling thread has used so far. Where the system does not say, it is the time that has passed: a
 * thread of a low priority may have waited for much of it.
 */
export function ownClock(): ThreadClock {
  const number = threadNumber();
  return number === null ? () => performance.now() : clockOf(number);
}

/** Processor time that a thread of this process has used so far; once it has ended, what it had used when this was last read. */
export function clockOf(number: number): ThreadClock {
  let last = processorTimeMs(number) ?? 0;
  return () => (last = processorTimeMs(number) ?? last);
}

/** The number of the calling thread, by which others read its time; null where the system does not say how much it has used. */
export function threadNumber(): number | null {
  try {
    const number = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    return processorTimeMs(number) === null ? null : number;
  } catch {
    return null;
  }
}

function processorTimeMs(number: number): number | null {
  try {
    // Nanoseconds on a processor, waiting for one, and how often it had one (Linux, Documentation/scheduler/sched-stats).
    const [time = 0, , turns = 0] = readFileSync(`/proc/self/task/${number}/schedstat`, 'latin1')
      .split(' ')
      .map(Number);
    // A system that does not count says that no thread has ever had one.
    return turns > 0 ? time / 1e6 : null;
  } catch {
    return null;
  }
}
