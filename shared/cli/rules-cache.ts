import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PACKAGE_FOLDERS } from '../package/layout/package-folders.ts';
import { DEFAULT_PACKAGE_LIMITS, type PackageLimits } from '../package/limits.ts';
import type { ValidationSettings } from '../package/package-report.ts';

/** A server's limits and catalogue, as they are cached. */
export interface ServerRules extends Pick<ValidationSettings, 'limits' | 'requiredFolders'> {
  readonly englishId: string;
  readonly languageIds: readonly string[];
  readonly dataAreaIds: readonly string[];
  /** IDs and keys. */
  readonly documentTypes: readonly string[];
  /** Keys. */
  readonly deploymentTypes: readonly string[];
  /** The IDs of each set whose IDs are distinguished. */
  readonly idSets: Readonly<Record<string, readonly string[]>>;
}

/** Rules of a server, and when they were fetched. */
export interface CachedRules {
  readonly fetchedAtMs: number;
  readonly rules: ServerRules;
}

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function isGuid(value: unknown): value is string {
  return typeof value === 'string' && GUID.test(value);
}

function isGuids(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isGuid);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function readLimits(value: unknown): PackageLimits | null {
  const members = membersOf(value);
  const limits: Record<keyof PackageLimits, number> = { ...DEFAULT_PACKAGE_LIMITS };
  for (const name of Object.keys(DEFAULT_PACKAGE_LIMITS)) {
    const limit = members[name];
    if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 0) return null;
    Object.assign(limits, { [name]: limit });
  }
  return limits;
}

/** Rules from a server or the cache; null if they are not valid. */
export function readRules(value: unknown): ServerRules | null {
  const {
    limits: limitMembers,
    requiredFolders,
    englishId,
    languageIds,
    dataAreaIds,
    documentTypes,
    deploymentTypes,
    idSets: setMembers,
  } = membersOf(value);
  const limits = readLimits(limitMembers);
  if (limits === null || !isGuid(englishId) || !isGuids(languageIds) || !isGuids(dataAreaIds)) return null;
  const idSets = readIdSets(setMembers);
  if (!isTexts(documentTypes) || !isTexts(deploymentTypes) || idSets === null) return null;
  if (!Array.isArray(requiredFolders)) return null;
  const folders = PACKAGE_FOLDERS.filter((each) => requiredFolders.includes(each));
  const ids = { englishId, languageIds, dataAreaIds, documentTypes, deploymentTypes, idSets };
  return { limits, requiredFolders: folders, ...ids };
}

function readIdSets(value: unknown): Readonly<Record<string, readonly string[]>> | null {
  if (typeof value !== 'object' || value === null) return null;
  const sets = Object.entries(membersOf(value));
  const valid = sets.filter((each): each is [string, readonly string[]] => isGuids(each[1]));
  return valid.length === sets.length ? Object.fromEntries(valid) : null;
}

/** One file per server. Its name is a hash, so that no address can leave the folder. */
function cacheFile(folder: string, server: string): string {
  const name = createHash('sha256').update(server).digest('hex').slice(0, 32);
  return path.join(folder, `rules-${name}.json`);
}

/** The cached rules of a server; null if there are none that can be read. */
export async function readCachedRules(folder: string, server: string): Promise<CachedRules | null> {
  try {
    const cached = membersOf(JSON.parse(await readFile(cacheFile(folder, server), 'utf8')));
    const { fetchedAtMs } = cached;
    if (cached['server'] !== server || typeof fetchedAtMs !== 'number') return null;
    // A time in the future would stay fresh forever.
    if (!Number.isSafeInteger(fetchedAtMs) || fetchedAtMs > Date.now()) return null;
    const rules = readRules(cached['rules']);
    return rules === null ? null : { fetchedAtMs, rules };
  } catch {
    return null;
  }
}

/** Caches a server's rules atomically: another process reads the old file or the new one. */
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
