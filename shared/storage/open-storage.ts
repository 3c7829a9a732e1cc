import type { Config } from '../config/config.ts';
import { SettingsError } from '../config/settings-reader.ts';
import { DirectoryStorage } from './directory-storage.ts';
import { S3Storage } from './s3-storage.ts';
import type { Storage } from './storage.ts';

/** The settings that a make of storage may use. */
export type StorageConfig = Pick<Config, 'storage' | 's3' | 'dataDir'>;

/** A make of storage. */
export interface StorageMake {
  /** The name of its part in the report of `npm run doctor`. */
  readonly part: string;
  /** Where its objects are, for that report. */
  location(config: StorageConfig): string;
  open(config: StorageConfig): Promise<Storage>;
}

/** The makes of storage by their names in `STORAGE`. An operator's own make is a line here (docs/extending.md). */
export const STORAGE_MAKES: ReadonlyMap<string, StorageMake> = new Map([
  [
    'directory',
    { part: 'DATA_DIR', location: folderOf, open: (config) => DirectoryStorage.open(folderOf(config)) },
  ],
  ['s3', { part: 'bucket', location: ({ s3 }) => `the bucket "${s3?.bucket ?? ''}"`, open: openS3 }],
]);

/** The folder of objects in the data directory. */
function folderOf({ dataDir }: StorageConfig): string {
  return `${dataDir}/objects`;
}

/** Opens the storage that the settings name. @throws SettingsError where there is no such make */
export async function openStorage(config: StorageConfig): Promise<Storage> {
  const make = STORAGE_MAKES.get(config.storage);
  if (make !== undefined) return make.open(config);
  throw new SettingsError([`STORAGE must be one of ${[...STORAGE_MAKES.keys()].join(', ')}`]);
}

async function openS3({ s3 }: StorageConfig): Promise<Storage> {
  if (s3 === null) throw new SettingsError(['S3_BUCKET must be set: STORAGE is s3']);
  return Promise.resolve(new S3Storage(s3));
}
