import { loadWorkerConfig } from '../config/config.ts';

const TIMEOUT_MS = 3_000;

/**
 * The image's health check: exits with 0 while the process of this container works, otherwise with 1. It does not check
 * the database, queue and storage: restarting the service would not bring them back.
 */
async function isAlive(): Promise<boolean> {
  const { port, adminPort } = loadWorkerConfig().server;
  const address = `http://127.0.0.1:${adminPort ?? port}/livez`;
  return (await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) })).ok;
}

process.exitCode = (await isAlive().catch(() => false)) ? 0 : 1;
