import { randomUUID } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { S3Config } from '../config/part-config.ts';
import { finding, trySteps, type Finding, type ProbeStep } from '../process/probe-step.ts';
import { openStorage, STORAGE_MAKES, type StorageConfig } from './open-storage.ts';
import { PART_BYTES } from './part-buffers.ts';
import { openS3Client } from './s3-client.ts';
import type { ObjectBody, Storage } from './storage.ts';

/** Where the objects of probes are, apart from those of every deployment. */
const PREFIX = 'probes/';

/**
 * Tries for real what the service needs of its storage, with objects of its own that it removes again. Never throws.
 * Errors of a bucket say what to do; those of a directory name the file.
 */
export async function probeStorage(config: StorageConfig): Promise<readonly ProbeStep[]> {
  const { s3, storage: name } = config;
  const make = STORAGE_MAKES.get(name);
  const opening = openStorage(config);
  const open = async () => {
    await (await opening).check();
    return make?.location(config) ?? '';
  };
  const steps = await trySteps({
    [make?.part ?? 'STORAGE']: open,
    object: async () => tryObject(await opening, Buffer.from('probe'), { offset: 1, text: 'ro' }),
    parts: async () => tryObject(await opening, twoParts(), { offset: PART_BYTES - 1, text: 'ab' }),
    ...(name === 's3' &&
      s3?.serverSideEncryption && { encryption: async () => tryEncryption(await opening, s3) }),
  });
  await opening.then(
    (storage) => storage.close(),
    () => undefined,
  );
  return steps;
}

function probeKey(): string {
  return `${PREFIX}${randomUUID()}`;
}

/** Stores, reads, lists and removes an object with this text in it. */
async function tryObject(
  storage: Storage,
  body: ObjectBody,
  { offset, text }: { readonly offset: number; readonly text: string },
): Promise<string> {
  const key = probeKey();
  const sizeBytes = await storage.put(key, body);
  try {
    const read = await storage.read(key, offset, text.length);
    if (read.toString() !== text) throw new Error('a range of an object has other bytes than were stored');
    if (!(await hasObject(storage, key))) throw new Error('an object that was stored is not listed');
  } finally {
    await storage.remove(key);
  }
  if (await hasObject(storage, key)) throw new Error('an object is listed after its removal');
  return `an object of ${sizeBytes} bytes is stored, read, listed and removed`;
}

async function hasObject(storage: Storage, key: string): Promise<boolean> {
  for await (const object of storage.list(PREFIX)) {
    if (object.key === key) return true;
  }
  return false;
}

async function* twoParts(): AsyncGenerator<Buffer> {
  yield Promise.resolve(Buffer.alloc(PART_BYTES, 'a'));
  yield Buffer.from('b');
}

/** A store may accept the header and ignore it. */
async function tryEncryption(storage: Storage, s3: S3Config): Promise<Finding> {
  const client = openS3Client(s3);
  const [key, wanted] = [probeKey(), s3.serverSideEncryption ?? undefined];
  try {
    const object = { Bucket: s3.bucket, Key: key, Body: Buffer.from('probe'), ServerSideEncryption: wanted };
    const { ServerSideEncryption } = await client.send(new PutObjectCommand(object));
    await storage.remove(key);
    return finding(
      ServerSideEncryption === wanted,
      `the store says that it encrypts with ${ServerSideEncryption ?? 'nothing'}`,
      'Use a store that can encrypt, or unset S3_SERVER_SIDE_ENCRYPTION and encrypt its disk.',
    );
  } finally {
    client.destroy();
  }
}
