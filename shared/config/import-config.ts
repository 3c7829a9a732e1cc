import { PACKAGE_FOLDERS, type PackageFolder } from '../package/layout/package-folders.ts';
import { DEFAULT_PACKAGE_LIMITS, type PackageLimits } from '../package/limits.ts';
import type { SettingsReader } from './settings-reader.ts';

/** How imports are accepted, run and kept. */
export interface ImportConfig {
  readonly waitSeconds: number;
  /** How long an attempt waits for a lock, such as that of a module which another import writes. */
  readonly lockSeconds: number;
  /** The most that one step of an attempt may take. */
  readonly stepSeconds: number;
  /** How long a failed attempt is followed by another, from the start of the first. */
  readonly deadlineSeconds: number;
  readonly uploadRetentionDays: number;
  readonly importRetentionDays: number;
  readonly requiredFolders: readonly PackageFolder[];
  readonly maxUploads: number;
  readonly maxUploadsPerOrganization: number;
  readonly maxImportsPerMinute: number;
  /** Imports that one worker process runs at once. */
  readonly workerConcurrency: number;
  /** Threads of one worker process that validate larger files. */
  readonly workerThreads: number;
}

/** A timer accepts at most 2^31 milliseconds. */
const MAX_SECONDS = 2_000_000;

/** Reads how imports are accepted, run and kept. */
export function readImports(read: SettingsReader): ImportConfig {
  return {
    waitSeconds: read.integer('IMPORT_WAIT_SECONDS', 300),
    lockSeconds: read.integer('IMPORT_LOCK_SECONDS', 30, { max: 3_600 }),
    stepSeconds: read.integer('IMPORT_STEP_SECONDS', 1_200, { max: MAX_SECONDS }),
    deadlineSeconds: read.integer('IMPORT_DEADLINE_SECONDS', 3_600, { max: MAX_SECONDS }),
    uploadRetentionDays: read.integer('UPLOAD_RETENTION_DAYS', 7, { min: 0 }),
    importRetentionDays: read.integer('IMPORT_RETENTION_DAYS', 365),
    requiredFolders: read.someOf('REQUIRED_FOLDERS', PACKAGE_FOLDERS),
    maxUploads: read.integer('MAX_UPLOADS', 128),
    maxUploadsPerOrganization: read.integer('MAX_UPLOADS_PER_ORGANIZATION', 64),
    maxImportsPerMinute: read.integer('MAX_IMPORTS_PER_MINUTE', 600),
    workerConcurrency: read.integer('WORKER_CONCURRENCY', 16, { max: 256 }),
    workerThreads: read.integer('WORKER_THREADS', 2, { max: 64 }),
  };
}

/** Reads the limits of packages. */
export function readLimits(read: SettingsReader): PackageLimits {
  const standard = DEFAULT_PACKAGE_LIMITS;
  return {
    maxPackageBytes: read.integer('MAX_PACKAGE_BYTES', standard.maxPackageBytes),
    maxEntries: read.integer('MAX_ENTRIES', standard.maxEntries),
    maxEntryBytes: read.integer('MAX_ENTRY_BYTES', standard.maxEntryBytes),
    maxUnpackedBytes: read.integer('MAX_UNPACKED_BYTES', standard.maxUnpackedBytes),
    maxExpansionRatio: read.integer('MAX_EXPANSION_RATIO', standard.maxExpansionRatio),
    expansionGraceBytes: read.integer('EXPANSION_GRACE_BYTES', standard.expansionGraceBytes, { min: 0 }),
    maxPathBytes: read.integer('MAX_PATH_BYTES', standard.maxPathBytes),
    maxPathDepth: read.integer('MAX_PATH_DEPTH', standard.maxPathDepth),
    maxDescriptorBytes: read.integer('MAX_DESCRIPTOR_BYTES', standard.maxDescriptorBytes),
    maxRolesBytes: read.integer('MAX_ROLES_BYTES', standard.maxRolesBytes),
    maxAlertRulesBytes: read.integer('MAX_ALERT_RULES_BYTES', standard.maxAlertRulesBytes),
    maxImageBytes: read.integer('MAX_IMAGE_BYTES', standard.maxImageBytes),
    maxReportedProblems: read.integer('MAX_REPORTED_PROBLEMS', standard.maxReportedProblems),
  };
}
