import { setTimeout } from 'node:timers/promises';
import { openDatabase } from '../../../shared/db/database.ts';
import { seedModule, type SeededModule } from '../bench/machine-access/seed.ts';
import type { FaultStack } from './stack/fault-stack.ts';

const READERS = 4;
/** Between two reads of a reader: a steady load, not the fastest one, whose rate would be that of a free processor. */
const PAUSE_MS = 20;
const STRUCTURES = { farms: 1, fields: 10, blocks: 5 };

/** Back ends that read farm structures with an API key, again and again, and repeat nothing. */
export class KeyReads {
  /** Reads without a 200; a reader never tries again. */
  readonly failures: string[] = [];
  readonly #databaseUrl: string;
  readonly #module: SeededModule;
  readonly #readers: readonly Promise<void>[];
  #reads = 0;
  #isOver = false;

  private constructor({ databaseUrl, address }: FaultStack, module: SeededModule) {
    this.#databaseUrl = databaseUrl;
    this.#module = module;
    this.#readers = Array.from({ length: READERS }, (_, index) =>
      this.#readAll(address.urls[index % address.urls.length] ?? ''),
    );
  }

  static async start(stack: FaultStack): Promise<KeyReads> {
    const database = openDatabase({ url: stack.databaseUrl, poolSize: 1 });
    try {
      return new KeyReads(stack, await seedModule(database, STRUCTURES));
    } finally {
      await database.destroy();
    }
  }

  /** The reads a second while the work goes on. */
  async rateDuring(work: Promise<unknown>): Promise<number> {
    const [before, startMs] = [this.#reads, Date.now()];
    await work;
    return ((this.#reads - before) * 1_000) / (Date.now() - startMs);
  }

  /** Ends the reads, and removes their module: its revision has no archive. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#readers);
    const database = openDatabase({ url: this.#databaseUrl, poolSize: 1 });
    await database('module_revisions').where({ moduleId: this.#module.moduleId }).delete();
    await database.destroy();
  }

  async #readAll(url: string): Promise<void> {
    const { key, moduleId } = this.#module;
    while (!this.#isOver) {
      const ending = await fetch(`${url}/api/v8.0/Alerts/StructuresByModuleId/${moduleId}`, {
        headers: { 'X-Api-Key': key },
      }).then(
        async (answer) => (answer.status === 200 ? (await answer.arrayBuffer(), null) : `${answer.status}`),
        String,
      );
      this.#reads += 1;
      if (ending !== null) this.failures.push(`a read with a key: ${ending}`);
      await setTimeout(PAUSE_MS);
    }
  }
}
