/** How large a package and its parts may be. Some are settings; see `shared/config/limit-config.ts`. */
export interface PackageLimits {
  /** The ZIP itself, in bytes. */
  readonly maxPackageBytes: number;
  readonly maxEntries: number;
  /** One entry unpacked, in bytes. */
  readonly maxEntryBytes: number;
  /** All entries unpacked, in bytes. */
  readonly maxUnpackedBytes: number;
  /** Unpacked bytes over packed bytes, once `expansionGraceBytes` have been unpacked. */
  readonly maxExpansionRatio: number;
  /** Unpacked bytes below which the expansion ratio is not looked at: small texts compress well. */
  readonly expansionGraceBytes: number;
  /** UTF-8 length of an entry's path, in bytes. */
  readonly maxPathBytes: number;
  /** Segments of an entry's path. */
  readonly maxPathDepth: number;
  readonly maxDescriptorBytes: number;
  readonly maxRolesBytes: number;
  readonly maxAlertRulesBytes: number;
  readonly maxImageBytes: number;
  /** Problems listed in one report; the rest are counted. */
  readonly maxReportedProblems: number;
}

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** The default limits. */
export const DEFAULT_PACKAGE_LIMITS: PackageLimits = {
  maxPackageBytes: 1 * GiB,
  maxEntries: 50_000,
  maxEntryBytes: 512 * MiB,
  maxUnpackedBytes: 4 * GiB,
  maxExpansionRatio: 100,
  expansionGraceBytes: 64 * MiB,
  maxPathBytes: 512,
  maxPathDepth: 32,
  maxDescriptorBytes: 1 * MiB,
  maxRolesBytes: 1 * MiB,
  maxAlertRulesBytes: 1 * MiB,
  maxImageBytes: 10 * MiB,
  maxReportedProblems: 100,
};
