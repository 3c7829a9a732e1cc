import { setTimeout } from 'node:timers/promises';

/** Resolves when the process has exited. */
export async function exited(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await setTimeout(20);
  }
}
