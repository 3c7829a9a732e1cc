import type { SettingsReader } from './settings-reader.ts';

/**
 * How many long answers one API process sends at once: each uses a connection to storage while its client reads. And
 * how much processor time an organization may take.
 */
export interface SharingConfig {
  /** Module files that are read from storage. */
  readonly maxDownloads: number;
  readonly maxDownloadsPerOrganization: number;
  readonly maxExports: number;
  readonly maxExportsPerOrganization: number;
  /** With tokens, in one process: each takes about a millisecond of the one event loop that all organizations share. */
  readonly maxRequestsPerSecondPerOrganization: number;
  /** In the threads of one process, for JSON bodies or package files: the rest of the processors stays for others. */
  readonly maxThreadMsPerSecondPerOrganization: number;
}

/** Reads how what is scarce is shared: an organization's part is a quarter of the long answers, and a tenth of a processor. */
export function readSharing(read: SettingsReader): SharingConfig {
  return {
    maxDownloads: read.integer('MAX_DOWNLOADS', 64),
    maxDownloadsPerOrganization: read.integer('MAX_DOWNLOADS_PER_ORGANIZATION', 16),
    maxExports: read.integer('MAX_EXPORTS', 8),
    maxExportsPerOrganization: read.integer('MAX_EXPORTS_PER_ORGANIZATION', 2),
    maxRequestsPerSecondPerOrganization: read.integer('MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION', 1_000),
    maxThreadMsPerSecondPerOrganization: read.integer('MAX_THREAD_MS_PER_SECOND_PER_ORGANIZATION', 100),
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
