import {
  closeSync,
  constants,
  fdatasync,
  fsync,
  openSync,
  read,
  readSync,
  writev,
  writevSync,
} from 'node:fs';
import { mkdir, opendir, rm, stat, statfs, open } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { codeOf } from '../process/error-code.ts';
import { ObjectMissingError, type ObjectBody, type Storage, type StoredObject } from './storage.ts';

/*
 * A call in the thread pool costs several times as much as opening a file, or copying a few pages to or from the
 * system's memory: these are done at once. What waits for the disk is done in the pool.
 */
const syncNames = promisify(fsync);
const syncContent = promisify(fdatasync);
const writePieces = promisify(writev);
const readPiece = promisify(read);

/** The longest read that is done at once. */
const READ_AT_ONCE_BYTES = 64 * 1024;

/**
 * Syncs folders to disk. Calls for one folder that come while a sync of it runs share the next one:
 * a sync covers every file that was created before it started.
 */
class FolderSync {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  async sync(folder: string): Promise<void> {
    const running = this.#running.get(folder);
    if (running === undefined) return this.#start(folder);
    const next = this.#next.get(folder) ?? this.#after(running, folder);
    this.#next.set(folder, next);
    return next;
  }

  async #after(running: Promise<void>, folder: string): Promise<void> {
    await running.catch(() => undefined);
    this.#next.delete(folder);
    return this.#start(folder);
  }

  #start(folder: string): Promise<void> {
    const sync = syncFolder(folder).finally(() => {
      if (this.#running.get(folder) === sync) this.#running.delete(folder);
    });
    this.#running.set(folder, sync);
    return sync;
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder for syncing; its file systems journal the rename.
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    await syncNames(fd);
  } finally {
    closeSync(fd);
  }
}

/** An object is synced each time that this many bytes have been received: at the end little is left to sync. */
const SYNC_BYTES = 8 * 1024 * 1024;

/**
 * Smaller pieces are gathered before they are written, so that a slow upload is not a write per packet. What is left at
 * the end, such as a small package, is written at once.
 */
const WRITE_BYTES = 256 * 1024;

/**
 * Objects as files. A file is synced, and the folder that names it, before `put` resolves: then the object survives a
 * crash. One that a crash interrupts may stay in part; nothing points to it, and collection removes it.
 */
export class DirectoryStorage implements Storage {
  readonly #root: string;
  readonly #folders = new FolderSync();
  readonly #known = new Set<string>();

  private constructor(root: string) {
    this.#root = root;
  }

  /** Opens the directory, making it where it is missing. */
  static async open(root: string): Promise<DirectoryStorage> {
    const storage = new DirectoryStorage(path.resolve(root));
    await mkdir(storage.#root, { recursive: true, mode: 0o700 });
    return storage;
  }

  async put(key: string, body: ObjectBody): Promise<number> {
    const file = this.#path(key);
    const folder = path.dirname(file);
    await this.#makeFolder(folder);
    const fd = openSync(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
    try {
      // After a failure a sync may still wait in the pool: of a file that has the descriptor by then, which harms nothing.
      return await this.#write(fd, folder, body).finally(() => closeSync(fd));
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
  }

  async #write(fd: number, folder: string, body: ObjectBody): Promise<number> {
    const sizeBytes = await writeAll(fd, Buffer.isBuffer(body) ? [body] : body);
    await Promise.all([syncContent(fd), this.#folders.sync(folder)]);
    return sizeBytes;
  }

  async read(key: string, offset: number, length: number): Promise<Buffer> {
    const fd = await this.#found(key, () => openSync(this.#path(key), constants.O_RDONLY));
    try {
      const bytes = Buffer.allocUnsafe(length);
      let done = 0;
      while (done < length) {
        const rest = [done, length - done, offset + done] as const;
        const bytesRead =
          length <= READ_AT_ONCE_BYTES
            ? readSync(fd, bytes, ...rest)
            : (await readPiece(fd, bytes, ...rest)).bytesRead;
        if (bytesRead === 0) throw new Error(`object ${key} ends before byte ${offset + length}`);
        done += bytesRead;
      }
      return bytes;
    } finally {
      closeSync(fd);
    }
  }

  async stream(key: string, range?: { offset: number; length: number }): Promise<Readable> {
    const file = await this.#found(key, () => open(this.#path(key), constants.O_RDONLY));
    const { size } = await file.stat();
    const { offset, length } = range ?? { offset: 0, length: size };
    if (length === 0 || offset + length > size) await file.close();
    if (offset + length > size) throw new Error(`object ${key} ends before byte ${offset + length}`);
    if (length === 0) return Readable.from([]);
    return file.createReadStream({ start: offset, end: offset + length - 1, highWaterMark: WRITE_BYTES });
  }

  async remove(key: string): Promise<void> {
    await rm(this.#path(key), { force: true });
  }

  list(prefix: string): AsyncIterable<StoredObject> {
    return this.#listFolder(this.#path(prefix));
  }

  /** Folder by folder: Node 20's recursive `opendir` leaves out entries of folders with more than a buffer of them. */
  async *#listFolder(folder: string): AsyncGenerator<StoredObject> {
    for await (const entry of await opendir(folder).catch(ignoreMissing)) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) yield* this.#listFolder(file);
      if (!entry.isFile()) continue;
      const found = await stat(file).catch(() => null);
      if (found === null) continue;
      const key = path.relative(this.#root, file).split(path.sep).join('/');
      yield { key, sizeBytes: found.size, storedAt: found.mtime };
    }
  }

  removeUnfinished(): Promise<number> {
    // They already have their keys, so collection finds them among the objects.
    return Promise.resolve(0);
  }

  async check(): Promise<void> {
    await statfs(this.#root);
  }

  close(): void {
    // Nothing stays open between calls.
  }

  /** Opens the file of an object. Without the directory itself, which may come back, the object is not lost. */
  async #found<File>(key: string, openFile: () => File | Promise<File>): Promise<File> {
    try {
      return await openFile();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      await this.check();
      throw new ObjectMissingError(key, error);
    }
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#known.has(folder)) return;
    const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (firstMade !== undefined) await this.#syncUpTo(path.dirname(firstMade), folder);
    this.#known.add(folder);
  }

  /** A new folder is durable when its parent is synced too. */
  async #syncUpTo(top: string, folder: string): Promise<void> {
    for (let each = path.dirname(folder); each.length >= top.length; each = path.dirname(each)) {
      await this.#folders.sync(each);
    }
  }

  #path(key: string): string {
    if (!/^[a-z0-9]+(?:[/-][a-z0-9]+)*\/?$/.test(key)) throw new RangeError('a storage key is not valid');
    return path.join(this.#root, key);
  }
}

function ignoreMissing(error: unknown): [] {
  if (codeOf(error) === 'ENOENT') return [];
  throw error;
}

async function writeAll(fd: number, pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<number> {
  let sizeBytes = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let syncedBytes = 0;
  let syncing: Promise<void> | null = null;
  const syncSoFar = async () => {
    await syncContent(fd);
    syncing = null;
  };
  const written = (bytesWritten: number) => {
    if (bytesWritten !== waitingBytes) throw new Error('the disk accepted fewer bytes than were written');
    sizeBytes += waitingBytes;
    waiting = [];
    waitingBytes = 0;
  };
  for await (const piece of pieces) {
    waiting.push(piece);
    waitingBytes += piece.length;
    if (waitingBytes < WRITE_BYTES) continue;
    written((await writePieces(fd, waiting)).bytesWritten);
    if (syncing !== null || sizeBytes - syncedBytes < SYNC_BYTES) continue;
    syncedBytes = sizeBytes;
    syncing = syncSoFar();
    // Awaited below; until then a failure must not crash the process.
    syncing.catch(() => undefined);
  }
  if (waitingBytes > 0) written(writevSync(fd, waiting));
  await syncing;
  return sizeBytes;
}
