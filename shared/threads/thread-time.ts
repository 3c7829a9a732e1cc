import { readFileSync } from 'node:fs';

/**
 * Processor time that the calling thread has used so far, in milliseconds. Where the system does not say, it is the
 * time that has passed: a thread of the lowest priority may have waited for much of it.
 */
export function threadTimeMs(): number {
  try {
    // Its first field is nanoseconds on a processor (Linux, Documentation/scheduler/sched-stats).
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
