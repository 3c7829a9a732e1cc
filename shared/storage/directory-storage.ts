import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { ObjectBody, Storage, StoredObject } from '../storage.ts';
import { FolderSync } from './folder-sync.ts';

/** Smaller pieces are gathered before they are written, so that a slow upload is not a write per packet. */
const WRITE_BYTES = 256 * 1024;

/**
 * Objects as files. An object is written under a temporary name, synced, renamed, and its folder synced:
 * after a crash it is whole or absent.
 */
export class DirectoryStorage implements Storage {
  readonly #root: string;
  readonly #temporary: string;
  readonly #folders = new FolderSync();
  readonly #known = new Set<string>();

  private constructor(root: string) {
    this.#root = root;
    this.#temporary = path.join(root, '.tmp');
  }

  /** Opens the directory, making it where it is missing. */
  static async open(root: string): Promise<DirectoryStorage> {
    const storage = new DirectoryStorage(path.resolve(root));
    await mkdir(storage.#temporary, { recursive: true, mode: 0o700 });
    return storage;
  }

  async put(key: string, body: ObjectBody): Promise<number> {
    const target = this.#path(key);
    const temporary = path.join(this.#temporary, randomUUID());
    try {
      const sizeBytes = await writeSynced(temporary, body);
      await this.#makeFolder(path.dirname(target));
      await rename(temporary, target);
      await this.#folders.sync(path.dirname(target));
      return sizeBytes;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async read(key: string, offset: number, length: number): Promise<Buffer> {
    const file = await open(this.#path(key), constants.O_RDONLY);
    try {
      const bytes = Buffer.allocUnsafe(length);
      let done = 0;
      while (done < length) {
        const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
        if (bytesRead === 0) throw new Error(`object ${key} ends before byte ${offset + length}`);
        done += bytesRead;
      }
      return bytes;
    } finally {
      await file.close();
    }
  }

  async stream(key: string, range?: { offset: number; length: number }): Promise<Readable> {
    const file = await open(this.#path(key), constants.O_RDONLY);
    if (range?.length === 0) {
      await file.close();
      return createReadStream('/dev/null');
    }
    const span = range === undefined ? {} : { start: range.offset, end: range.offset + range.length - 1 };
    return file.createReadStream({ ...span, highWaterMark: WRITE_BYTES });
  }

  async remove(key: string): Promise<void> {
    await rm(this.#path(key), { force: true });
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    const entries = await readdir(this.#path(prefix), { recursive: true, withFileTypes: true }).catch(
      ignoreMissing,
    );
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      const found = await stat(file).catch(() => null);
      if (found === null) continue;
      const key = path.relative(this.#root, file).split(path.sep).join('/');
      yield { key, sizeBytes: found.size, storedAt: found.mtime };
    }
  }

  async removeUnfinished(before: Date): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.#temporary)) {
      const file = path.join(this.#temporary, name);
      const found = await stat(file).catch(() => null);
      if (found === null || found.mtime >= before) continue;
      await rm(file, { force: true });
      removed += 1;
    }
    return removed;
  }

  async check(): Promise<void> {
    await statfs(this.#temporary);
  }

  close(): void {
    // Nothing is held open between calls.
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#known.has(folder)) return;
    const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (firstMade !== undefined) await this.#syncUpTo(path.dirname(firstMade), folder);
    this.#known.add(folder);
  }

  /** A new folder is durable when the one that it stands in is synced too. */
  async #syncUpTo(top: string, folder: string): Promise<void> {
    for (let each = path.dirname(folder); each.length >= top.length; each = path.dirname(each)) {
      await this.#folders.sync(each);
    }
  }

  #path(key: string): string {
    if (!/^[a-z0-9]+(?:[/-][a-z0-9]+)*\/?$/.test(key))
      throw new RangeError('a storage key of a forbidden form');
    return path.join(this.#root, key);
  }
}

function ignoreMissing(error: unknown): [] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}

async function writeSynced(file: string, body: ObjectBody): Promise<number> {
  const handle = await open(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  try {
    const sizeBytes = await writeAll(handle, Buffer.isBuffer(body) ? [body] : body);
    await handle.datasync();
    return sizeBytes;
  } finally {
    await handle.close();
  }
}

async function writeAll(
  handle: FileHandle,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<number> {
  let sizeBytes = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const flush = async () => {
    if (waitingBytes === 0) return;
    const { bytesWritten } = await handle.writev(waiting);
    if (bytesWritten !== waitingBytes) throw new Error('the disk took fewer bytes than it was given');
    sizeBytes += waitingBytes;
    waiting = [];
    waitingBytes = 0;
  };
  for await (const piece of pieces) {
    waiting.push(piece);
    waitingBytes += piece.length;
    if (waitingBytes >= WRITE_BYTES) await flush();
  }
  await flush();
  return sizeBytes;
}
