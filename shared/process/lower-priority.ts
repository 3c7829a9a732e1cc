import { readdirSync } from 'node:fs';
import os from 'node:os';

/**
 * Lowers the priority of this process: on a machine that it shares with the API and the database, answers to clients
 * come first. Alone on a machine it is as fast as before.
 */
export function lowerPriority(): void {
  const { PRIORITY_BELOW_NORMAL } = os.constants.priority;
  // On Linux each thread has a priority of its own; later ones inherit that of the thread that starts them.
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0];
  for (const thread of threads) os.setPriority(thread, PRIORITY_BELOW_NORMAL);
}
