const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** How large a package and its parts may be. Some are settings; see `shared/config/limit-config.ts`. */
const DEFAULTS = {
  /** The ZIP itself, in bytes. */
  maxPackageBytes: 1 * GiB,
  maxEntries: 50_000,
  /** One entry unpacked, in bytes. */
  maxEntryBytes: 512 * MiB,
  /** All entries unpacked, in bytes. */
  maxUnpackedBytes: 4 * GiB,
  /** Unpacked bytes over packed bytes, once `expansionGraceBytes` have been unpacked. */
  maxExpansionRatio: 100,
  /** Unpacked bytes below which the expansion ratio is not looked at: small texts compress well. */
  expansionGraceBytes: 64 * MiB,
  /** UTF-8 length of an entry's path, in bytes. */
  maxPathBytes: 512,
  /** Segments of an entry's path. */
  maxPathDepth: 32,
  maxDescriptorBytes: 1 * MiB,
  maxRolesBytes: 1 * MiB,
  maxAlertRulesBytes: 1 * MiB,
  maxImageBytes: 10 * MiB,
  /** Problems listed in one report; the rest are counted. */
  maxReportedProblems: 100,
};

/** The limits of a deployment. */
export type PackageLimits = Readonly<Record<keyof typeof DEFAULTS, number>>;

/** The default limits. */
export const DEFAULT_PACKAGE_LIMITS: PackageLimits = DEFAULTS;
