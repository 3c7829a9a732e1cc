import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import {
  runHere,
  type StartedThread,
  type TaskAnswer,
  type TaskRunner,
  type Tasks,
  type ToThread,
} from './tasks.ts';
import { ownClock, threadNumber } from './thread-time.ts';

/** The whole of a thread: it runs the tasks of one session after the other, each session with tasks of its own. */
export function serveTasks<Of extends Tasks<Of>>(newTasks: () => Of): void {
  const port = parentPort;
  if (port === null) throw new Error('this module runs in a thread only');
  // On Linux it is that of this thread, elsewhere that of the whole process. The lowest gets 1.5 % of a processor beside one
  // busy thread, and hardly anything beside several: its tasks would reach the limit of the time that may pass. A process of
  // a lower priority may not raise it.
  if (process.platform === 'linux')
    os.setPriority(Math.max(os.getPriority(), os.constants.priority.PRIORITY_BELOW_NORMAL));
  const clock = ownClock();
  let session: TaskRunner<Of> | null = null;
  const answer = async (message: Extract<ToThread, { kind: 'run' }>): Promise<TaskAnswer> => {
    if (session === null) return { error: new Error('no session has started'), tookMs: 0 };
    const startMs = clock();
    const took = () => ({ tookMs: clock() - startMs });
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
  port.postMessage({ number: threadNumber() } satisfies StartedThread);
}
