import type { SettingsReader } from './settings-reader.ts';

/** The bucket, how it is reached, and what its store can do. */
export interface S3Config {
  /** Null: Amazon S3. */
  readonly endpoint: string | null;
  readonly bucket: string;
  readonly region: string;
  /** Null: those that the AWS SDK finds in the environment, in files, or by a role. */
  readonly credentials: S3Credentials | null;
  readonly forcePathStyle: boolean;
  /** Whether requests have checksums wherever S3 defines them, or only where it requires them. */
  readonly checksums: S3Checksums;
  /** Connections of a process to the store. */
  readonly maxSockets: number;
  /** How the store encrypts objects; null: as the bucket's own settings say. */
  readonly serverSideEncryption: 'AES256' | 'aws:kms' | null;
}

/** Keys that do not expire. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const CHECKSUMS = ['when-supported', 'when-required'] as const;

/** A value of `S3_CHECKSUMS`. */
export type S3Checksums = (typeof CHECKSUMS)[number];

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
    credentials: readCredentials(read),
    forcePathStyle: read.boolean('S3_FORCE_PATH_STYLE', true),
    checksums: read.oneOf('S3_CHECKSUMS', CHECKSUMS, 'when-supported'),
    maxSockets,
    serverSideEncryption: read.optionalOneOf('S3_SERVER_SIDE_ENCRYPTION', ['AES256', 'aws:kms']),
  };
}

/** Both keys, or neither: half a pair must not silently become the credentials of the machine. */
function readCredentials(read: SettingsReader): S3Credentials | null {
  const accessKeyId = read.optional('S3_ACCESS_KEY_ID');
  const secretAccessKey = read.optional('S3_SECRET_ACCESS_KEY');
  if (accessKeyId !== null && secretAccessKey !== null) return { accessKeyId, secretAccessKey };
  if (accessKeyId !== null) read.addIssue('S3_SECRET_ACCESS_KEY', 'must be set: S3_ACCESS_KEY_ID is set');
  if (secretAccessKey !== null) read.addIssue('S3_ACCESS_KEY_ID', 'must be set: S3_SECRET_ACCESS_KEY is set');
  return null;
}
