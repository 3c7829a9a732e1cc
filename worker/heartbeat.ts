import { writeFile } from 'node:fs/promises';
import type { Log } from '../shared/telemetry/log.ts';

const BEAT_MS = 5_000;

/** Rewrites a file periodically, so that a health check can read its age. Returns the function that stops it. */
export async function startHeartbeat(file: string | null, log: Log): Promise<() => void> {
  if (file === null) return () => undefined;
  await writeFile(file, '');
  const timer = setInterval(() => {
    writeFile(file, '').catch((error: unknown) => log.error({ err: error }, 'heartbeat failed'));
  }, BEAT_MS);
  return () => clearInterval(timer);
}
