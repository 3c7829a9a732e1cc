import type { SettingsReader } from './settings-reader.ts';

/** How many long answers one API process sends at once. Each uses a connection to storage while its client reads. */
export interface SharingConfig {
  /** Module files that are read from storage. */
  readonly maxDownloads: number;
  readonly maxDownloadsPerOrganization: number;
  readonly maxExports: number;
  readonly maxExportsPerOrganization: number;
}

/** Reads how many long answers are sent at once: an organization's part is a quarter. */
export function readSharing(read: SettingsReader): SharingConfig {
  return {
    maxDownloads: read.integer('MAX_DOWNLOADS', 64),
    maxDownloadsPerOrganization: read.integer('MAX_DOWNLOADS_PER_ORGANIZATION', 16),
    maxExports: read.integer('MAX_EXPORTS', 8),
    maxExportsPerOrganization: read.integer('MAX_EXPORTS_PER_ORGANIZATION', 2),
  };
}

/** For short reads, deletions, health checks, and what a worker reads. */
const OTHER_SOCKETS = 256;
/** An export reads so many small files ahead. */
const SOCKETS_OF_EXPORT = 17;

/** Connections to storage: more than all uploads and downloads use at once, so that none waits for another's. */
export function storageSockets(
  { maxUploads }: { readonly maxUploads: number },
  { maxDownloads, maxExports }: SharingConfig,
): number {
  return maxUploads + maxDownloads + SOCKETS_OF_EXPORT * maxExports + OTHER_SOCKETS;
}
