import type { Config } from '../config/config.ts';
import { DirectoryStorage } from './directory-storage.ts';
import { S3Storage } from './s3-storage.ts';
import type { Storage } from './storage.ts';

/** The folder of objects in the data directory. */
export function objectsFolder(dataDir: string): string {
  return `${dataDir}/objects`;
}

/** The storage that the settings name: S3 where a bucket is set, otherwise a directory under `DATA_DIR`. */
export async function openStorage(config: Pick<Config, 's3' | 'dataDir'>): Promise<Storage> {
  return config.s3 === null ? DirectoryStorage.open(objectsFolder(config.dataDir)) : new S3Storage(config.s3);
}
