import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  NoSuchKey,
  ListObjectsV2Command,
  paginateListObjectsV2,
  PutObjectCommand,
  S3ServiceException,
  type MultipartUpload,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { S3Config } from '../config/part-config.ts';
import { ByteReader } from '../package/archive/byte-reader.ts';
import {
  type ObjectBody,
  ObjectMissingError,
  type Storage,
  type StoredObject,
  StorageError,
} from './storage.ts';
import { uploadInParts, type UploadOptions } from './multipart-upload.ts';
import { PartBuffers } from './part-buffers.ts';
import { openS3Client } from './s3-client.ts';

/** Objects in a bucket of any S3-compatible server. Bodies of unknown length go up in parts. */
export class S3Storage implements Storage {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #buffers = new PartBuffers();
  /** How a new object is encrypted. */
  readonly #encryption: Pick<PutObjectCommandInput, 'ServerSideEncryption'>;
  readonly #uploadOptions: UploadOptions;

  constructor(config: S3Config) {
    this.#bucket = config.bucket;
    this.#encryption =
      config.serverSideEncryption === null ? {} : { ServerSideEncryption: config.serverSideEncryption };
    this.#client = openS3Client(config);
    this.#uploadOptions = {
      ...this.#encryption,
      ...(config.checksums === 'when-supported' && { ChecksumAlgorithm: 'CRC32' }),
    };
  }

  async put(key: string, body: ObjectBody): Promise<number> {
    // The caller closes a body that is not read to its end.
    if (!Buffer.isBuffer(body)) return this.#putPieces(key, new ByteReader(body));
    await this.#putBuffer(key, body);
    return body.length;
  }

  async #putBuffer(key: string, body: Buffer): Promise<void> {
    const object = { Bucket: this.#bucket, Key: key, ...this.#encryption };
    await this.#client.send(new PutObjectCommand({ ...object, Body: body }));
  }

  /** Most packages end in the first part, and one request stores them. */
  async #putPieces(key: string, pieces: ByteReader): Promise<number> {
    const buffer = this.#buffers.take();
    const length = await pieces.fill(buffer);
    let sizeBytes = length;
    if (length < buffer.length) await this.#putBuffer(key, buffer.subarray(0, length));
    else {
      const location = { Bucket: this.#bucket, Key: key };
      sizeBytes = await uploadInParts(this.#client, location, this.#uploadOptions, buffer, pieces);
    }
    // After a failure a request may still be on its way.
    this.#buffers.giveBack(buffer);
    return sizeBytes;
  }

  async read(key: string, offset: number, length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0);
    const pieces: Buffer[] = [];
    for await (const piece of await this.stream(key, { offset, length })) pieces.push(piece as Buffer);
    const bytes = Buffer.concat(pieces);
    if (bytes.length !== length) throw new Error(`object ${key} has ${bytes.length} bytes of ${length}`);
    return bytes;
  }

  async stream(key: string, range?: { offset: number; length: number }): Promise<Readable> {
    if (range?.length === 0) return Readable.from([]);
    const { body, length } = await this.#open(key, range);
    const open = async (offset: number, rest: number) =>
      (await this.#open(key, { offset, length: rest })).body;
    const pieces = resumedBody(body, open, range?.offset ?? 0, range?.length ?? length);
    // A generator that never started, because its reader is gone, does not close the body.
    return Readable.from(pieces, { objectMode: false }).once('close', () => body.destroy());
  }

  async #open(key: string, range?: { offset: number; length: number }) {
    const Range = range && `bytes=${range.offset}-${range.offset + range.length - 1}`;
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: key, ...(Range && { Range }) });
    const { Body, ContentLength } = await this.#client.send(command).catch((error: unknown) => {
      throw error instanceof StorageError && error.cause instanceof NoSuchKey
        ? new ObjectMissingError(key, error.cause)
        : error;
    });
    if (!(Body instanceof Readable)) throw new Error(`object ${key} has no body`);
    return { body: Body, length: ContentLength ?? 0 };
  }

  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key }));
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    const pages = paginateListObjectsV2({ client: this.#client }, { Bucket: this.#bucket, Prefix: prefix });
    for await (const { Contents = [] } of pages) {
      for (const { Key, Size = 0, LastModified = new Date(0) } of Contents)
        if (Key !== undefined) yield { key: Key, sizeBytes: Size, storedAt: LastModified };
    }
  }

  async removeUnfinished(prefix: string, before: Date): Promise<number> {
    let removed = 0;
    for await (const { Key, UploadId, Initiated } of this.#unfinishedUploads()) {
      if (Key?.startsWith(prefix) !== true || Initiated === undefined || Initiated >= before) continue;
      await this.#client.send(new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId }));
      removed += 1;
    }
    return removed;
  }

  /** Those of the whole bucket: MinIO takes a prefix for the key of one object. */
  async *#unfinishedUploads(): AsyncGenerator<MultipartUpload> {
    let marker: { KeyMarker: string; UploadIdMarker: string | undefined } | undefined;
    do {
      const page = await this.#client.send(
        new ListMultipartUploadsCommand({ Bucket: this.#bucket, ...marker }),
      );
      yield* page.Uploads ?? [];
      marker =
        page.IsTruncated === true && page.NextKeyMarker !== undefined
          ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
          : undefined;
    } while (marker !== undefined);
  }

  async check(): Promise<void> {
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }));
    } catch (error) {
      if (!(error instanceof StorageError && error.cause instanceof S3ServiceException)) throw error;
      // An answer to HEAD has no body, so it does not say why: a list does, with the same right.
      await this.#client.send(new ListObjectsV2Command({ Bucket: this.#bucket, MaxKeys: 1 }));
      throw error;
    }
  }

  close(): void {
    this.#client.destroy();
  }
}

/** After more breaks in one body, reading it again is useless. */
const MOST_BREAKS = 5;

/** Opens a range of an object's bytes. */
type OpenRange = (offset: number, length: number) => Promise<AsyncIterable<Buffer>>;

/**
 * The bytes `[offset, offset + length)` of an object that never changes, in order. Where the connection breaks off
 * in the middle, the rest is requested again.
 * @param first the same bytes, as far as they come
 * @throws what one break too many throws, or what fails when all bytes have come
 */
export async function* resumedBody(
  first: AsyncIterable<Buffer>,
  open: OpenRange,
  offset: number,
  length: number,
): AsyncGenerator<Buffer> {
  let left = length;
  let body = first;
  for (let breaks = 0; ; breaks += 1) {
    try {
      for await (const piece of body) {
        left -= piece.length;
        yield piece;
      }
      if (left > 0) throw new Error(`the body ended ${left} bytes early`);
      return;
    } catch (error) {
      // All bytes were there: it is something else, such as a checksum that does not match.
      if (left <= 0 || breaks === MOST_BREAKS) throw error;
    }
    body = await open(offset + length - left, left);
  }
}
