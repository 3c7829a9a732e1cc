import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import { runHere, type FromThread, type TaskRunner, type Tasks, type ToThread } from './tasks.ts';
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

/** The whole of a thread: it runs the tasks of one session after the other, each session with tasks of its own. */
export function serveTasks<Of extends Tasks<Of>>(newTasks: () => Of): void {
  const port = parentPort;
  if (port === null) throw new Error('this module runs in a thread only');
  // On Linux it is that of this thread, elsewhere that of the whole process.
  if (process.platform === 'linux') os.setPriority(os.constants.priority.PRIORITY_LOW);
  let session: TaskRunner<Of> | null = null;
  const answer = async (message: Extract<ToThread, { kind: 'run' }>): Promise<FromThread> => {
    if (session === null) return { error: new Error('no session has started'), tookMs: 0 };
    const startMs = threadTimeMs();
    const took = () => ({ tookMs: threadTimeMs() - startMs });
    try {
      // Both ends are typed by the same tasks; a message is not.
      return {
        result: await session.run(message.name as keyof Of & string, message.input as never),
        ...took(),
      };
    } catch (error) {
      return { error: error instanceof Error ? error : new Error('the task failed'), ...took() };
    }
  };
  port.on('message', (message: ToThread) => {
    if (message.kind === 'start') session = runHere(newTasks());
    else if (message.kind === 'end') session = null;
    else void answer(message).then((reply) => port.postMessage(reply));
  });
}
