import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { announceFile, doomFiles, fileKey, settleFile, touchFiles } from '../shared/db/stored-files.ts';
import type { StoredContents } from '../shared/db/register-module.ts';
import type { PackageFile, PackageSink } from '../shared/package/check-package.ts';
import type { EntryWriter } from '../shared/package/zip/archive.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import type { WorkerContext } from './worker-context.ts';

/** File contents held until the verdict; what goes beyond is stored before it. */
const MAX_HELD_BYTES = 24 * 1024 * 1024;
const UPLOADS_AT_ONCE = 16;

interface HeldFile {
  readonly sha256: string;
  readonly content: Buffer;
}

interface AnnouncedFile {
  readonly objectKey: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * The files of one package on their way to storage. Small packages are held until they have passed
 * every rule; of large ones, which no memory should hold, files are stored while the rest is read,
 * under names that nothing points to. `keep` makes them the package's, `discard` gives them up.
 */
export class PackageStaging implements PackageSink {
  readonly #context: WorkerContext;
  readonly #held = new Map<string, HeldFile>();
  #heldBytes = 0;
  readonly #stored = new Map<string, string>();
  readonly #announced: AnnouncedFile[] = [];
  readonly #loose: string[] = [];

  constructor(context: WorkerContext) {
    this.#context = context;
  }

  async whole(file: PackageFile, content: Buffer): Promise<void> {
    const { sha256 } = file;
    if (this.#held.has(sha256) || this.#stored.has(sha256)) return;
    this.#held.set(sha256, { sha256, content });
    this.#heldBytes += content.length;
    if (this.#heldBytes > MAX_HELD_BYTES) await this.#storeHeld();
  }

  pieces(_path: string, sizeBytes: number): EntryWriter {
    const pipe = new PassThrough({ highWaterMark: 1024 * 1024 });
    let sha256 = '';
    const upload = this.#upload(sizeBytes, pipe, () => sha256);
    // Whoever waits for room in the pipe, or for the upload's end, is told.
    upload.catch(() => pipe.destroy());
    pipe.on('error', () => undefined);
    return {
      write: async (piece) => {
        // After a failure there is no room ever again: the upload tells of it, even if that was long ago.
        if (!pipe.write(piece)) await Promise.race([once(pipe, 'drain'), upload]);
      },
      end: async (computed) => {
        sha256 = computed;
        pipe.end();
        this.#announced.push({ objectKey: await upload, sha256, sizeBytes });
      },
      abort: async () => {
        pipe.destroy(new Error('the entry is corrupt'));
        await upload.catch(() => undefined);
      },
    };
  }

  /** Stores what is still held. The result tells where each content is. */
  async keep(onProgress: (completed: number, total: number) => void): Promise<StoredContents> {
    await this.#storeHeld(onProgress);
    for (const { objectKey, ...content } of this.#announced) {
      const known = this.#stored.get(content.sha256);
      if (known !== undefined) continue;
      const place = await settleFile(this.#context.database, objectKey, content);
      this.#stored.set(content.sha256, place.objectKey);
    }
    return this.#stored;
  }

  /** Gives up the objects that were stored before the verdict. */
  async discard(): Promise<void> {
    if (this.#loose.length > 0) await doomFiles(this.#context.database, this.#loose);
  }

  async #upload(sizeBytes: number, pipe: PassThrough, sha256: () => string): Promise<string> {
    const objectKey = await announceFile(this.#context.database, sizeBytes);
    this.#loose.push(objectKey);
    await this.#context.storage.put(fileKey(objectKey), pipe, sha256);
    return objectKey;
  }

  async #storeHeld(onProgress: (completed: number, total: number) => void = () => undefined): Promise<void> {
    const held = [...this.#held.values()];
    if (held.length === 0) return;
    const contents = held.map(({ sha256, content }) => ({ sha256, sizeBytes: content.length }));
    const places = await touchFiles(this.#context.hastyDatabase, contents);
    let completed = 0;
    await forEachAtOnce(held, UPLOADS_AT_ONCE, async ({ sha256, content }) => {
      const place = places.get(sha256);
      if (place === undefined) throw new Error('a touched file has no row');
      if (!place.isStored) await this.#context.storage.put(fileKey(place.objectKey), content, () => sha256);
      this.#stored.set(sha256, place.objectKey);
      completed += 1;
      onProgress(completed, held.length);
    });
    this.#held.clear();
    this.#heldBytes = 0;
  }
}
