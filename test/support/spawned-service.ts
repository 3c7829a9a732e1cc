import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A compiled process of the service, which need not become ready. */
export interface SpawnedService {
  /** Everything that it has logged so far. */
  log(): string;
  signal(name: 'SIGTERM' | 'SIGINT'): void;
  /** Its exit code and the signal that killed it. */
  readonly ended: Promise<[number | null, NodeJS.Signals | null]>;
}

/** Spawns a process of the service with these settings alone; it ends with the test. */
export function spawnService(
  name: 'api' | 'worker',
  environment: Readonly<Record<string, string>>,
): SpawnedService {
  const main = path.resolve(import.meta.dirname, `../../dist/${name}/main.js`);
  const env = { PATH: process.env['PATH'], ...environment, LOG_LEVEL: 'info' };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (text: Buffer) => (log += text.toString()));
  const ended = once(child, 'exit') as SpawnedService['ended'];
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { log: () => log, signal: (signal) => child.kill(signal), ended };
}
