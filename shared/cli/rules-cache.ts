import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readRules } from './read-rules.ts';
import type { ServerRules } from './read-rules.ts';

/** Rules of a server, and when it told them. */
export interface CachedRules {
  readonly fetchedAtMs: number;
  readonly rules: ServerRules;
}

/** One file per server: the name says nothing, and no address can lead out of the folder. */
function cacheFile(folder: string, server: string): string {
  const name = createHash('sha256').update(server).digest('hex').slice(0, 32);
  return path.join(folder, `rules-${name}.json`);
}

/** What is cached of a server's rules; null where there is nothing, or nothing that can be read. */
export async function readCachedRules(folder: string, server: string): Promise<CachedRules | null> {
  try {
    const cached: unknown = JSON.parse(await readFile(cacheFile(folder, server), 'utf8'));
    if (typeof cached !== 'object' || cached === null) return null;
    if (!('server' in cached) || cached.server !== server) return null;
    if (!('fetchedAtMs' in cached) || typeof cached.fetchedAtMs !== 'number') return null;
    // A time ahead of ours would stay fresh for ever.
    if (!Number.isSafeInteger(cached.fetchedAtMs) || cached.fetchedAtMs > Date.now()) return null;
    const rules = 'rules' in cached ? readRules(cached.rules) : null;
    return rules === null ? null : { fetchedAtMs: cached.fetchedAtMs, rules };
  } catch {
    return null;
  }
}

/** Keeps a server's rules; another process sees the old file or the new one. */
export async function writeCachedRules(folder: string, server: string, rules: ServerRules): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = cacheFile(folder, server);
  const half = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(half, JSON.stringify({ server, fetchedAtMs: Date.now(), rules }));
    await rename(half, file);
  } finally {
    await rm(half, { force: true });
  }
}
