import type { AlertRules } from './alert-rules/alert-rules.ts';
import type { Descriptor } from './descriptor/descriptor.ts';
import type { PackageLimits } from './limits.ts';
import type { PackageFolder } from './layout/package-folders.ts';
import type { CodeCounts, Problem, ProblemLocation } from './problem.ts';
import type { RolesEntities } from './roles/roles-entities.ts';
import type { CompressionMethod } from './archive/archive.ts';

/** An entry of a set of the catalogue: its key, and its name for people. */
export interface NamedEntry {
  readonly key: string;
  readonly value: string;
}

/** The IDs that a package may name, in lower case. */
export interface PackageCatalogue {
  readonly englishId: string;
  /** The names of the languages, beside English, in which the platform recommends translations, by ID. */
  readonly recommendedLanguages: ReadonlyMap<string, string>;
  /** IDs and keys. */
  readonly documentTypes: ReadonlySet<string>;
  /** Keys, which are numbers; empty if the catalogue has none. */
  readonly deploymentTypes: ReadonlySet<string>;
  /** The entries of each set of `ID_SETS`, by ID; a set without entries accepts any ID. */
  readonly sets: ReadonlyMap<string, ReadonlyMap<string, NamedEntry>>;
}

/** The limits and sets that a package is validated by. */
export interface ValidationSettings {
  readonly limits: PackageLimits;
  /** Folders that each package must have. */
  readonly requiredFolders: readonly PackageFolder[];
  readonly catalogue: PackageCatalogue;
}

/** A file of a package: its path, its content, and its location in the archive. */
export interface PackageFile {
  readonly path: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly crc32: number;
  readonly method: CompressionMethod;
  /** Offset of the compressed data in the archive. */
  readonly dataOffset: number;
  readonly packedBytes: number;
  readonly packedCrc32: number;
}

/** The content of a package without errors. */
export interface PackageContent {
  readonly descriptor: Descriptor;
  readonly subject: PackageSubject;
  readonly roles: RolesEntities | null;
  readonly alertRules: AlertRules | null;
  /** Every file except the descriptor and operating-system files, by path. */
  readonly files: readonly PackageFile[];
}

/** The input of the registry's rules beside the problems; null if the descriptor could not be read that far. */
export interface PackageSubject {
  readonly moduleId: string | null;
  readonly scope: string | null;
  /** Where the descriptor has them, or would have them. */
  readonly moduleIdLocation: ProblemLocation;
  readonly scopeLocation: ProblemLocation;
}

/** The result of the rules for a package. */
export interface PackageReport {
  /** The first errors and warnings, in the order of `compareProblems`: all that a report may list. */
  readonly problems: readonly Problem[];
  /** The further errors. */
  readonly omittedErrors: CodeCounts;
  readonly subject: PackageSubject | null;
  /** Null when there is any error. */
  readonly content: PackageContent | null;
}
