import { createHash, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { BusboyInstance } from '@fastify/busboy';
import type { Request, Response } from 'express';
import { archiveKeyOf } from '../../shared/db/archives.ts';
import type { Storage } from '../../shared/storage.ts';
import { ProblemError } from '../http.ts';
import { watchPace } from '../watch-pace.ts';

/** A package that has been stored. */
export interface Upload {
  /** Of the import that it becomes, and of its archive's key. */
  readonly importId: string;
  readonly sizeBytes: number;
  readonly sha256: Buffer;
  readonly fileName: string | null;
}

/** What multipart framing adds to a file, at most. */
const FRAMING_BYTES = 64 * 1024;
const MAX_FILE_NAME = 255;

/**
 * Streams the one file of a multipart body to storage, hashing it on its way; it is never whole in memory
 * and never on disk. Whatever goes wrong, no object stays.
 * @throws ProblemError 400, 408 or 413.
 */
export async function receiveUpload(
  request: Request,
  response: Response,
  storage: Storage,
  maxBytes: number,
): Promise<Upload> {
  refuseByHeaders(request, maxBytes);
  const receiver = new UploadReceiver(storage, maxBytes);
  const parser = makeParser(request, receiver);
  const stopWatching = watchPace(request, (problem) => {
    receiver.fail(problem);
  });
  try {
    if (/^100-continue$/i.test(request.get('expect') ?? '')) response.writeContinue();
    await Promise.race([parsed(request, parser), receiver.failed]);
    return await receiver.finish();
  } catch (error) {
    request.unpipe(parser);
    await receiver.abandon(error);
    throw error instanceof ProblemError || error instanceof StorageFault ? error : brokenUpload();
  } finally {
    stopWatching();
  }
}

/**
 * Feeds the body to the parser, to its end. Not `pipeline`: that destroys the request when the parser
 * refuses it, and with it the connection on which the refusal is to be told.
 */
async function parsed(request: Request, parser: BusboyInstance): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    parser.once('finish', resolve);
    parser.once('error', reject);
    request.once('error', reject);
    request.once('close', () => {
      if (!request.complete) reject(new Error('the client hung up'));
    });
    request.pipe(parser);
  });
}

function refuseByHeaders(request: Request, maxBytes: number): void {
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(request.get('content-type') ?? '')) {
    throw new ProblemError(
      'request-file-missing',
      'The body must be multipart/form-data with one field named file. With curl: -F file=@package.zip',
    );
  }
  if (Number(request.get('content-length') ?? 0) > maxBytes + FRAMING_BYTES) throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError(
    'request-too-large',
    `The package is larger than ${maxBytes} bytes, the most that is taken.`,
  );
}

function brokenUpload(): ProblemError {
  return new ProblemError(
    'request-invalid',
    'The upload broke off or is not well-formed multipart/form-data. Send it again.',
  );
}

/** Storage failed while the package was on its way: our fault, not the client's. */
class StorageFault extends Error {
  override readonly name = 'StorageFault';
}

function makeParser(request: Request, receiver: UploadReceiver): BusboyInstance {
  const contentType = request.get('content-type') ?? '';
  const limits = { fieldSize: 1024, fields: 8, files: 2, parts: 8, headerPairs: 32 };
  let parser: BusboyInstance;
  try {
    parser = new Busboy({ headers: { ...request.headers, 'content-type': contentType }, limits });
  } catch {
    throw new ProblemError('request-file-missing', 'The Content-Type of the body has no usable boundary.');
  }
  parser.on('error', () => undefined);
  parser.on('file', (field: string, file: Readable, fileName: string | undefined) => {
    receiver.onFile(field, file, fileName);
  });
  parser.on('field', (field: string) => {
    receiver.onField(field);
  });
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    parser.on(limit, () => {
      receiver.refuse('The body has more fields than one.');
    });
  }
  return parser;
}

/** Takes the parts of one body: exactly one file, in the field `file`. */
class UploadReceiver {
  /** Rejects as soon as the upload is refused or cannot be stored. */
  readonly failed: Promise<never>;
  readonly #storage: Storage;
  readonly #maxBytes: number;
  readonly #importId = randomUUID();
  readonly #key = archiveKeyOf(this.#importId);
  readonly #hash = createHash('sha256');
  #reject: (reason: Error) => void = () => undefined;
  #fileName: string | null = null;
  #file: Readable | null = null;
  #stored: Promise<number> | null = null;

  constructor(storage: Storage, maxBytes: number) {
    this.#storage = storage;
    this.#maxBytes = maxBytes;
    this.failed = new Promise((_resolve, reject) => {
      this.#reject = reject;
    });
    // Whoever waits for the upload sees it; a failure after that must not count as unhandled.
    this.failed.catch(() => undefined);
  }

  onFile(field: string, file: Readable, fileName: string | undefined): void {
    // A part that breaks off fails its reader too, which reports it; nobody else listens.
    file.on('error', () => undefined);
    if (field !== 'file' || this.#stored !== null) {
      file.resume();
      this.refuse(
        field === 'file'
          ? 'The body has two files; it must have one.'
          : `The file is in the field ${shown(field)}; it must be in the field file.`,
      );
      return;
    }
    this.#fileName = cleanFileName(fileName);
    this.#file = file;
    const told = (error: unknown): never => {
      const isTheirs = error instanceof ProblemError || file.errored !== null;
      throw isTheirs ? error : new StorageFault('the upload could not be stored', { cause: error });
    };
    const sha256 = () => this.#hash.copy().digest('hex');
    this.#stored = this.#storage.put(this.#key, this.#measured(file), sha256).catch(told);
    // A small body may have come whole before storage fails: then `finish` is who hears of it.
    this.#stored.catch((error: unknown) => {
      if (error instanceof Error) this.fail(error);
    });
  }

  onField(field: string): void {
    this.refuse(
      field === 'file'
        ? 'The field file holds text; it must hold a file. With curl: -F file=@package.zip, with the @.'
        : `The field ${shown(field)} is not expected; the body has one field, named file.`,
    );
  }

  refuse(detail: string): void {
    this.fail(new ProblemError('request-file-missing', detail));
  }

  fail(reason: Error): void {
    this.#reject(reason);
  }

  async finish(): Promise<Upload> {
    if (this.#stored === null)
      throw new ProblemError('request-file-missing', 'The body has no field named file.');
    const sizeBytes = await this.#stored;
    if (sizeBytes === 0) throw new ProblemError('request-file-missing', 'The file is empty.');
    return { importId: this.#importId, sizeBytes, sha256: this.#hash.digest(), fileName: this.#fileName };
  }

  /** Leaves no object behind. */
  async abandon(cause: unknown): Promise<void> {
    this.#file?.destroy(cause instanceof Error ? cause : new Error('upload abandoned'));
    const isStored = await this.#stored?.then(
      () => true,
      () => false,
    );
    if (isStored === true) await this.#storage.remove(this.#key).catch(() => undefined);
  }

  async *#measured(file: Readable): AsyncGenerator<Buffer> {
    let sizeBytes = 0;
    for await (const piece of file) {
      const bytes = piece as Buffer;
      sizeBytes += bytes.length;
      if (sizeBytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
      this.#hash.update(bytes);
      yield bytes;
    }
  }
}

function shown(field: string): string {
  return JSON.stringify(field.slice(0, 60));
}

/** The name is shown to people, never used as a path. */
function cleanFileName(fileName: string | undefined): string | null {
  const name = (fileName ?? '')
    .toWellFormed()
    .replaceAll(/[\u0000-\u001f\u007f]/g, '')
    .slice(0, MAX_FILE_NAME);
  return name === '' ? null : name.toWellFormed();
}
