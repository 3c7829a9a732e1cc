import { Readable } from 'node:stream';
import {
  type ObjectBody,
  ObjectMissingError,
  type Storage,
  type StoredObject,
} from '../../../shared/storage/storage.ts';

/** Keeps objects in the memory of one process. */
export class MemoryStorage implements Storage {
  readonly #objects = new Map<string, { readonly bytes: Buffer; readonly storedAt: Date }>();

  async put(key: string, body: ObjectBody): Promise<number> {
    const pieces: Buffer[] = [];
    for await (const piece of Buffer.isBuffer(body) ? [body] : body) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    if (this.#objects.has(key)) throw new Error(`there is an object ${key} already`);
    this.#objects.set(key, { bytes, storedAt: new Date() });
    return bytes.length;
  }

  async read(key: string, offset: number, length: number): Promise<Buffer> {
    const bytes = this.#objects.get(key)?.bytes;
    if (bytes === undefined) throw new ObjectMissingError(key);
    if (offset + length > bytes.length) throw new Error(`object ${key} ends before byte ${offset + length}`);
    return Promise.resolve(bytes.subarray(offset, offset + length));
  }

  async stream(key: string, range?: { offset: number; length: number }): Promise<Readable> {
    const { offset, length } = range ?? { offset: 0, length: this.#objects.get(key)?.bytes.length ?? 0 };
    return Readable.from([await this.read(key, offset, length)]);
  }

  async remove(key: string): Promise<void> {
    this.#objects.delete(key);
    return Promise.resolve();
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    for (const [key, { bytes, storedAt }] of [...this.#objects])
      if (key.startsWith(prefix)) yield Promise.resolve({ key, sizeBytes: bytes.length, storedAt });
  }

  /** A write has its key when it has ended, so none is left unfinished. */
  removeUnfinished(): Promise<number> {
    return Promise.resolve(0);
  }

  check(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    this.#objects.clear();
  }
}
