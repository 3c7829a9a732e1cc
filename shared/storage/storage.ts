import type { Readable } from 'node:stream';
import { PartProblem } from '../process/part-problem.ts';

/** Bytes to store: a buffer, or pieces as they come. */
export type ObjectBody = Buffer | AsyncIterable<Buffer>;

/** An object under a prefix. */
export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly storedAt: Date;
}

/**
 * Where packages are kept: a directory or an S3 bucket. A key is `[a-z0-9/-]+`; it is written once and never
 * changed. An object that `put` has resolved for is whole and durable.
 */
export interface Storage {
  /** Stores an object durably; resolves with its length in bytes. A failing body stores nothing. */
  put(key: string, body: ObjectBody): Promise<number>;
  /** Exactly the bytes `[offset, offset + length)`. Throws when there are fewer. @throws ObjectMissingError */
  read(key: string, offset: number, length: number): Promise<Buffer>;
  /** The bytes `[offset, offset + length)` in order; without a range, all. */
  stream(key: string, range?: { readonly offset: number; readonly length: number }): Promise<Readable>;
  /** Removes an object; a missing one is not an error. */
  remove(key: string): Promise<void>;
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Removes unfinished writes under the prefix that started before then; returns their number. */
  removeUnfinished(prefix: string, before: Date): Promise<number>;
  /** Throws when the storage is not available. */
  check(): Promise<void>;
  close(): void;
}

/** The storage refused a request or did not answer. Its message is for operators. */
export class StorageError extends PartProblem {
  override readonly name: string = 'StorageError';
}

/** A storage that works has no such object: no later try finds it, unless somebody puts it back. */
export class ObjectMissingError extends StorageError {
  override readonly name = 'ObjectMissingError';

  constructor(key: string, cause?: unknown) {
    const advice = 'Copy it from a backup.';
    super({ problem: `The storage has lost the object ${key}.`, advice }, cause);
  }
}
