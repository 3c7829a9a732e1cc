import { createHash, randomUUID } from 'node:crypto';
import type { BusboyFileStream } from '@fastify/busboy';
import { archiveKeyOf } from '../../shared/db/imports/archives.ts';
import type { Storage } from '../../shared/storage/storage.ts';
import type { ApiContext } from '../context.ts';
import { ProblemError } from '../http/problem.ts';

/** A stored package. */
export interface Upload {
  readonly importId: string;
  readonly archiveKey: string;
  readonly sizeBytes: number;
  readonly sha256: Buffer;
  readonly fileName: string | null;
}

/** Where uploads are stored, under the prefix of the deployment. */
export type UploadTarget = Pick<ApiContext, 'storage' | 'deploymentId'>;

const MAX_FILE_NAME = 255;

const NO_FILE_NAME =
  'The field file has no filename in its Content-Disposition, so it is text; it must be a file. ' +
  'With curl: -F file=@package.zip, with the @. With .NET: form.Add(content, "file", "package.zip"), with the third argument.';

/** Storage failed during the upload: an internal error, not one of the request. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** The refusal of a package over the limit. */
export function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError('request-too-large', `The package is larger than the limit of ${maxBytes} bytes.`);
}

/** Receives the parts of one body, which must be exactly one file in the field `file`, and stores the file. */
export class UploadReceiver {
  /** The end of the body; rejects as soon as the upload is refused or cannot be stored. */
  readonly #ended: Promise<void>;
  readonly #storage: Storage;
  readonly #maxBytes: number;
  readonly #importId = randomUUID();
  readonly #key: string;
  readonly #hash = createHash('sha256');
  #resolve: () => void = () => undefined;
  #reject: (reason: Error) => void = () => undefined;
  #fileName: string | null = null;
  #file: BusboyFileStream | null = null;
  #stored: Promise<number> | null = null;

  constructor({ storage, deploymentId }: UploadTarget, maxBytes: number) {
    this.#storage = storage;
    this.#key = archiveKeyOf(deploymentId, this.#importId);
    this.#maxBytes = maxBytes;
    this.#ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // `upload` rejects with it; an earlier failure must not count as unhandled.
    this.#ended.catch(() => undefined);
  }

  /** The bytes of the body so far that belong to the file. */
  get fileBytes(): number {
    return this.#file?.bytesRead ?? 0;
  }

  onFile(field: string, file: BusboyFileStream, fileName: string | undefined, isText: boolean): void {
    // An interrupted part also fails its reader, which reports it.
    file.on('error', () => undefined);
    const refusal = this.#refusalOf(field, isText);
    if (refusal !== null) {
      file.resume();
      this.refuse(refusal);
      return;
    }
    this.#fileName = cleanFileName(fileName);
    this.#file = file;
    const rethrow = (error: unknown): never => {
      const isOfRequest = error instanceof ProblemError || file.errored !== null;
      throw isOfRequest ? error : new StorageError('the upload could not be stored', { cause: error });
    };
    this.#stored = this.#storage.put(this.#key, this.#measured(file)).catch(rethrow);
    // A small body may be complete before storage fails: then `upload` reports it.
    this.#stored.catch((error: unknown) => {
      if (error instanceof Error) this.fail(error);
    });
  }

  onField(field: string): void {
    this.refuse(`The field ${shown(field)} is not expected; the body has one field, named file.`);
  }

  refuse(detail: string): void {
    this.fail(new ProblemError('request-file-missing', detail));
  }

  fail(reason: Error): void {
    this.#reject(reason);
  }

  onEnd(): void {
    this.#resolve();
  }

  /** Waits until the body has ended and the file is stored. */
  async upload(): Promise<Upload> {
    await this.#ended;
    if (this.#stored === null)
      throw new ProblemError('request-file-missing', 'The body has no field named file.');
    const sizeBytes = await this.#stored;
    if (sizeBytes === 0) throw new ProblemError('request-file-missing', 'The file is empty.');
    const [sha256, fileName] = [this.#hash.digest(), this.#fileName];
    return { importId: this.#importId, archiveKey: this.#key, sizeBytes, sha256, fileName };
  }

  /** Cancels the upload and removes its object. */
  async abandon(cause: unknown): Promise<void> {
    this.#file?.destroy(cause instanceof Error ? cause : new Error('upload abandoned'));
    const isStored = await this.#stored?.then(
      () => true,
      () => false,
    );
    if (isStored === true) await this.#storage.remove(this.#key).catch(() => undefined);
  }

  #refusalOf(field: string, isText: boolean): string | null {
    if (field !== 'file') return `The file is in the field ${shown(field)}; it must be in the field file.`;
    if (isText) return NO_FILE_NAME;
    return this.#stored === null ? null : 'The body has two files; it must have one.';
  }

  async *#measured(file: BusboyFileStream): AsyncGenerator<Buffer> {
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
