import { readFileSync, readlinkSync } from 'node:fs';

/** The number of the calling thread, by which other threads of the process read its time; null where the system has none. */
export function threadNumber(): number | null {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return null;
  }
}

/**
 * Processor time that a thread of this process has used so far, in milliseconds. Where the system does not say, it is the
 * time that has passed: a thread of the lowest priority may have waited for much of it.
 */
export function threadTimeMs(number = threadNumber()): number {
  try {
    // Its first field is nanoseconds on a processor (Linux, Documentation/scheduler/sched-stats).
    return Number(readFileSync(`/proc/self/task/${number}/schedstat`, 'latin1').split(' ', 1)[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
