import type { ObjectBody, Storage } from '../../../shared/storage/storage.ts';
import { Link } from './link.ts';
import type { Machine, World } from './world.ts';

interface StoredBytes {
  readonly bytes: Buffer;
  readonly storedAt: Date;
}

const PAGE = 3;

/** An object store: each call does what it does at once, and its answer may be lost. */
export class StorageServer {
  readonly link: Link;
  readonly objects = new Map<string, StoredBytes>();
  /** Before an object is removed. */
  onRemove: (key: string) => void = () => undefined;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.link = new Link(world, 'storage');
  }

  /** The storage as a process uses it. */
  open(machine: Machine): Storage {
    const call = <Result>(what: string, serve: () => Result) => this.link.call(machine, what, serve);
    return {
      put: (key, body) => this.#put(machine, key, body),
      read: (key, offset, length) => call(`read ${key}`, () => this.#read(key, offset, length)),
      stream: () => Promise.reject(new Error('not simulated')),
      remove: (key) => call(`remove ${key}`, () => this.remove(key)),
      list: (prefix) => this.#list(machine, prefix),
      removeUnfinished: () => call('remove unfinished', () => 0),
      check: () => Promise.resolve(),
      close: () => undefined,
    };
  }

  dateOf({ storedAt }: StoredBytes): Date {
    return storedAt;
  }

  remove(key: string): void {
    if (!this.objects.has(key)) return;
    this.onRemove(key);
    this.objects.delete(key);
    this.#world.note(() => `storage: ${key} is removed`);
  }

  /** Some stores date an object by the start of its upload. */
  async #put(machine: Machine, key: string, body: ObjectBody): Promise<number> {
    const storedAt = this.#world.clock.now;
    if (!Buffer.isBuffer(body)) throw new Error('not simulated');
    await this.#world.clock.sleep(this.link.latencyMs());
    return this.link.call(machine, `put ${key}`, () => {
      this.objects.set(key, { bytes: body, storedAt });
      return body.length;
    });
  }

  #read(key: string, offset: number, length: number): Buffer {
    const found = this.objects.get(key);
    if (found === undefined) throw new Error(`there is no object ${key}`);
    if (offset + length > found.bytes.length) throw new Error(`the object ${key} is too short`);
    return found.bytes.subarray(offset, offset + length);
  }

  /** In pages, by key: objects come and go between them. */
  async *#list(machine: Machine, prefix: string) {
    for (let after = ''; ;) {
      const last = after;
      const page = await this.link.call(machine, 'list', () =>
        [...this.objects]
          .filter(([key]) => key.startsWith(prefix) && key > last)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .slice(0, PAGE)
          .map(([key, object]) => ({ key, sizeBytes: object.bytes.length, storedAt: this.dateOf(object) })),
      );
      yield* page;
      after = page.at(-1)?.key ?? '';
      if (page.length < PAGE) return;
    }
  }
}
