import type { ValidationSettings } from '../package/package-report.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../package/limits.ts';
import type { PackageLimits } from '../package/limits.ts';
import { PACKAGE_FOLDERS } from '../package/layout/package-folders.ts';

/** What a server judges packages by, as it is cached. */
export interface ServerRules {
  readonly limits: PackageLimits;
  readonly requiredFolders: ValidationSettings['requiredFolders'];
  readonly englishId: string;
  readonly languageIds: readonly string[];
  readonly dataAreaIds: readonly string[];
}

/** The members of an object; none of anything else. */
export function readMembers(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function isGuid(value: unknown): value is string {
  return typeof value === 'string' && GUID.test(value);
}

function readIds(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every(isGuid) ? value : null;
}

function readLimits(value: unknown): PackageLimits | null {
  const members = readMembers(value);
  const limits: Record<keyof PackageLimits, number> = { ...DEFAULT_PACKAGE_LIMITS };
  for (const name of Object.keys(DEFAULT_PACKAGE_LIMITS)) {
    const limit = members[name];
    if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 0) return null;
    Object.assign(limits, { [name]: limit });
  }
  return limits;
}

/** Rules as a server or the cache gave them; null where they are none. */
export function readRules(value: unknown): ServerRules | null {
  const members = readMembers(value);
  const limits = readLimits(members['limits']);
  const folders: unknown = members['requiredFolders'];
  const languageIds = readIds(members['languageIds']);
  const dataAreaIds = readIds(members['dataAreaIds']);
  const { englishId } = members;
  if (limits === null || languageIds === null || dataAreaIds === null || !isGuid(englishId)) return null;
  if (!Array.isArray(folders)) return null;
  const requiredFolders = PACKAGE_FOLDERS.filter((each) => folders.includes(each));
  return { limits, requiredFolders, englishId, languageIds, dataAreaIds };
}
