import { afterAll, beforeAll } from 'vitest';
import { freePort } from '../../shared/local/free-port.ts';
import { startLocalStack, type LocalStack } from './local-stack.ts';

/** A local stack that the tests of a file or group share. */
export interface SharedStack {
  /** The running stack; throws before the first test. */
  readonly stack: LocalStack;
  /** Restarts it on the same data, after a test has killed it. */
  startAgain(): Promise<void>;
}

/**
 * Starts a local stack on the data directory before the tests of the file or group, and stops it after them.
 * It has a port of its own: two stacks that start at once would both choose the default one.
 */
export function sharedStack(dataDir: string, settings: Readonly<Record<string, string>> = {}): SharedStack {
  let running: LocalStack | null = null;
  const startAgain = async () => {
    running = await startLocalStack(dataDir, { PORT: String(await freePort()), ...settings });
  };
  beforeAll(startAgain);
  afterAll(async () => {
    await running?.stop();
  });
  return {
    get stack() {
      if (running === null) throw new Error('The stack has not started yet.');
      return running;
    },
    startAgain,
  };
}
