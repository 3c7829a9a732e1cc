import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { S3Config } from '../config/part-config.ts';
import { PART_BYTES } from './part-buffers.ts';
import { probeKey, probeObjects, removeStaleProbes } from './probe-objects.ts';
import { type Finding, type ProbeStep, tryStep } from '../process/probe-step.ts';
import { openS3Client } from './s3-client.ts';
import { S3Storage } from './s3-storage.ts';

/** Tries what the service needs of a bucket. */
export async function probeBucket(config: S3Config): Promise<readonly ProbeStep[]> {
  const storage = new S3Storage(config);
  try {
    const bucket = await tryStep('bucket', async () => {
      await storage.check();
      return `the bucket "${config.bucket}" answers`;
    });
    if (!bucket.ok) return [bucket];
    const steps = [
      bucket,
      await tryStep('checksums', () => tryChecksums(config)),
      ...(config.serverSideEncryption === null
        ? []
        : [await tryStep('encryption', () => tryEncryption(config))]),
      ...(await probeObjects(storage)),
      await tryStep('multipart', () => tryMultipart(storage)),
      await tryStep('abort', () => tryAbort(config)),
    ];
    await removeStaleProbes(storage).catch(() => undefined);
    return steps;
  } finally {
    storage.close();
  }
}

/** What the store says of an object that was put with these settings. */
async function putAndHead(config: S3Config) {
  const client = openS3Client(config);
  const object = { Bucket: config.bucket, Key: probeKey() };
  const { serverSideEncryption } = config;
  try {
    await client.send(
      new PutObjectCommand({
        ...object,
        Body: Buffer.from('probe'),
        ...(serverSideEncryption !== null && { ServerSideEncryption: serverSideEncryption }),
      }),
    );
    const mode = config.checksums === 'when-supported' ? { ChecksumMode: 'ENABLED' as const } : {};
    const head = await client.send(new HeadObjectCommand({ ...object, ...mode }));
    await client.send(new DeleteObjectCommand(object));
    return head;
  } finally {
    client.destroy();
  }
}

/** Which checksums the store takes, whatever the settings say. */
async function tryChecksums(config: S3Config): Promise<Finding> {
  const plain = { ...config, serverSideEncryption: null };
  const isUsed = config.checksums === 'when-supported';
  try {
    const { ChecksumCRC32 } = await putAndHead({ ...plain, checksums: 'when-supported' });
    if (ChecksumCRC32 === undefined) return 'the store accepts CRC32 checksums, and keeps none';
    return isUsed
      ? 'the store verifies and keeps CRC32 checksums'
      : 'the store verifies and keeps CRC32 checksums: S3_CHECKSUMS=when-supported would use them';
  } catch (error) {
    const withoutChecksums = putAndHead({ ...plain, checksums: 'when-required' });
    const works = await withoutChecksums.then(
      () => true,
      () => false,
    );
    if (!works) throw error;
    const detail = 'the store refuses CRC32 checksums';
    return isUsed
      ? { ok: false, detail, advice: 'Set S3_CHECKSUMS=when-required.' }
      : `${detail}; none are sent`;
  }
}

async function tryEncryption(config: S3Config): Promise<Finding> {
  const wanted = config.serverSideEncryption ?? '';
  const { ServerSideEncryption } = await putAndHead(config);
  if (ServerSideEncryption === wanted) return `objects are encrypted with ${wanted}`;
  return {
    ok: false,
    detail: `the store accepts S3_SERVER_SIDE_ENCRYPTION=${wanted} and does not say that it encrypts`,
    advice: 'Use a store that can encrypt, or unset S3_SERVER_SIDE_ENCRYPTION and encrypt its disk.',
  };
}

async function tryMultipart(storage: S3Storage): Promise<Finding> {
  const key = probeKey();
  const sizeBytes = await storage.put(key, parts());
  const end = await storage.read(key, PART_BYTES - 1, 2);
  await storage.remove(key);
  if (!end.equals(Buffer.from([0, 1]))) throw new Error('the parts were not joined in their order');
  return `an object of ${sizeBytes} bytes is stored in parts`;
}

async function* parts(): AsyncGenerator<Buffer> {
  yield Promise.resolve(Buffer.alloc(PART_BYTES, 0));
  yield Buffer.alloc(1, 1);
}

/** An upload that is started and not finished is found and removed: collection relies on it. */
async function tryAbort(config: S3Config): Promise<Finding> {
  const client = openS3Client(config);
  const storage = new S3Storage(config);
  const object = { Bucket: config.bucket, Key: probeKey() };
  try {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(object));
    // Aborted by the second request where the store does not list it.
    const removed = await storage.removeUnfinished(object.Key, new Date(Date.now() + DAY_MS));
    if (removed > 0) return 'an unfinished upload is found and removed';
    await client.send(new AbortMultipartUploadCommand({ ...object, UploadId }));
    return {
      ok: false,
      detail: 'the store does not list unfinished uploads',
      advice: 'Let a lifecycle rule of the bucket remove unfinished uploads after two days.',
    };
  } finally {
    client.destroy();
    storage.close();
  }
}

/** More than the store's clock may be ahead. */
const DAY_MS = 86_400_000;
