import type { TestApp } from './test-app.ts';

/** Runs a worker while a function runs. */
export async function withWorker<Result>(app: TestApp, act: () => Promise<Result>): Promise<Result> {
  const worker = await app.startWorker();
  try {
    return await act();
  } finally {
    await worker.stop();
  }
}
