import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { MultipartUpload, PutObjectCommandInput } from '@aws-sdk/client-s3';
import type { S3Config } from '../config/storage-config.ts';
import type { ObjectBody, Storage, StoredObject } from './storage.ts';
import { uploadInParts } from './multipart-upload.ts';
import { PartBuffers, PartReader } from './part-buffers.ts';
import { resumedBody } from './resumed-body.ts';

const CONNECT_MS = 5_000;
/** Nothing on a connection for so long ends the request; the SDK tries it again. */
const SILENT_MS = 30_000;

/** Objects in a bucket of any S3-compatible server. Bodies of unknown length go up in parts. */
export class S3Storage implements Storage {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #buffers = new PartBuffers();
  /** How a new object is encrypted. */
  readonly #encryption: Pick<PutObjectCommandInput, 'ServerSideEncryption'>;

  constructor(config: S3Config) {
    this.#bucket = config.bucket;
    this.#encryption =
      config.serverSideEncryption === null ? {} : { ServerSideEncryption: config.serverSideEncryption };
    this.#client = new S3Client({
      region: config.region,
      forcePathStyle: config.forcePathStyle,
      // Builds the middleware once for each kind of request instead of for each request.
      cacheMiddleware: true,
      credentials: { accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey },
      ...(config.endpoint === null ? {} : { endpoint: config.endpoint }),
      // A server that accepts a connection and then sends nothing must not block an import forever.
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        socketTimeout: SILENT_MS,
        httpAgent: { maxSockets: config.maxSockets },
        httpsAgent: { maxSockets: config.maxSockets },
      },
    });
  }

  async put(key: string, body: ObjectBody): Promise<number> {
    if (!Buffer.isBuffer(body)) return this.#putPieces(key, new PartReader(body));
    await this.#putBuffer(key, body);
    return body.length;
  }

  async #putBuffer(key: string, body: Buffer): Promise<void> {
    const object = { Bucket: this.#bucket, Key: key, ...this.#encryption };
    await this.#client.send(new PutObjectCommand({ ...object, Body: body }));
  }

  /** Most packages end in the first part, and one request stores them. */
  async #putPieces(key: string, pieces: PartReader): Promise<number> {
    const buffer = this.#buffers.take();
    const length = await pieces.fill(buffer);
    let sizeBytes = length;
    if (length < buffer.length) await this.#putBuffer(key, buffer.subarray(0, length));
    else {
      const location = { Bucket: this.#bucket, Key: key };
      sizeBytes = await uploadInParts(this.#client, location, this.#encryption, buffer, pieces);
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
    const { Body, ContentLength } = await this.#client.send(command);
    if (!(Body instanceof Readable)) throw new Error(`object ${key} has no body`);
    return { body: Body, length: ContentLength ?? 0 };
  }

  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key }));
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    let token: string | undefined;
    do {
      const page = await this.#client.send(
        new ListObjectsV2Command({
          Bucket: this.#bucket,
          Prefix: prefix,
          ...(token !== undefined && { ContinuationToken: token }),
        }),
      );
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key !== undefined)
          yield { key: Key, sizeBytes: Size ?? 0, storedAt: LastModified ?? new Date(0) };
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  async removeUnfinished(prefix: string, before: Date): Promise<number> {
    let removed = 0;
    for await (const { Key, UploadId, Initiated } of this.#unfinishedUploads(prefix)) {
      if (Initiated === undefined || Initiated >= before) continue;
      await this.#client.send(new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId }));
      removed += 1;
    }
    return removed;
  }

  async *#unfinishedUploads(prefix: string): AsyncGenerator<MultipartUpload> {
    let marker: { KeyMarker: string; UploadIdMarker: string | undefined } | undefined;
    do {
      const page = await this.#client.send(
        new ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: prefix, ...marker }),
      );
      yield* page.Uploads ?? [];
      marker =
        page.IsTruncated === true && page.NextKeyMarker !== undefined
          ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
          : undefined;
    } while (marker !== undefined);
  }

  async check(): Promise<void> {
    await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }));
  }

  close(): void {
    this.#client.destroy();
  }
}
