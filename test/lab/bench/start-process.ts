import { fork, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { NODE_OPTIONS } from '../../../shared/process/node-options.ts';

/** A process of the service that a benchmark started. */
export interface StartedProcess {
  readonly pid: number;
  /** Resolves once it is ready, with the port that it listens on, or 0. */
  readonly started: Promise<number>;
  /** Sends it a message and waits for the one message that answers it. */
  request<Answer>(message: Serializable): Promise<Answer>;
  stop(): Promise<void>;
}

/** A load generator sends as one organization what many send. */
const LOAD = { MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION: '1000000' };

/** Starts a compiled script, by its path from the root, with settings beside those of this process. */
export function startProcess(script: string, environment: Readonly<Record<string, string>>): StartedProcess {
  const file = path.resolve(import.meta.dirname, '../../..', script);
  const profile = process.env['BENCH_PROFILE'];
  const child = fork(file, {
    env: { ...process.env, ...LOAD, ...environment },
    execArgv: [
      ...NODE_OPTIONS,
      ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
    ],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const nextMessage = async <Message>(): Promise<Message> => {
    const late = new AbortController();
    const { signal } = late;
    const ended = once(child, 'exit', { signal }).then(() => {
      throw new Error(`${script} ended`);
    });
    try {
      const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Message];
      return message;
    } finally {
      late.abort();
    }
  };
  return {
    pid: child.pid ?? 0,
    started: nextMessage<{ listening?: number }>().then(({ listening }) => listening ?? 0),
    request<Answer>(message: Serializable) {
      const answer = nextMessage<Answer>();
      child.send(message);
      return answer;
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
