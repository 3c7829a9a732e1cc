import type { SettingsReader } from './settings-reader.ts';

/** The bucket and its credentials. */
export interface S3Config {
  readonly endpoint: string | null;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly forcePathStyle: boolean;
  /** Connections of a process to the store. */
  readonly maxSockets: number;
  /** How the store encrypts objects; null: as the bucket's own settings say. */
  readonly serverSideEncryption: 'AES256' | 'aws:kms' | null;
}

/** Reads the bucket and its credentials; null: objects are in the data directory. */
export function readS3(read: SettingsReader, maxSockets: number): S3Config | null {
  const bucket = read.optional('S3_BUCKET');
  if (bucket === null) {
    for (const name of ['S3_ENDPOINT', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']) {
      if (read.optional(name) !== null) read.addIssue(name, 'is set, but S3_BUCKET is not');
    }
    return null;
  }
  return {
    bucket,
    endpoint: read.url('S3_ENDPOINT', ['http:', 'https:']),
    region: read.text('S3_REGION', 'us-east-1'),
    accessKeyId: read.required('S3_ACCESS_KEY_ID', 'S3_BUCKET is set'),
    secretAccessKey: read.required('S3_SECRET_ACCESS_KEY', 'S3_BUCKET is set'),
    forcePathStyle: read.boolean('S3_FORCE_PATH_STYLE', true),
    maxSockets,
    serverSideEncryption: read.optionalOneOf('S3_SERVER_SIDE_ENCRYPTION', ['AES256', 'aws:kms']),
  };
}
