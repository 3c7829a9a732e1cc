import { inject } from 'vitest';
import type { Database } from '../../shared/db/database.ts';
import type { Storage } from '../../shared/storage/storage.ts';

/**
 * Stops one actor before its step of this number, from 1; 0 stops none and counts the steps. What it does beside goes on, unless
 * all of it stops: then each later step waits too, as where the actor's process has died.
 */
export class StepGate {
  /** Resolves when the actor has reached that step. */
  readonly reached: Promise<void>;
  #steps = 0;
  readonly #stopAt: number;
  readonly #stopsAll: boolean;
  #resolveReached: () => void = () => undefined;
  #open: () => void = () => undefined;
  readonly #opened: Promise<void>;

  constructor(stopAt: number, stopsAll = false) {
    this.#stopAt = stopAt;
    this.#stopsAll = stopsAll;
    this.reached = new Promise((resolve) => {
      this.#resolveReached = resolve;
    });
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  get steps(): number {
    return this.#steps;
  }

  async pass(): Promise<void> {
    this.#steps += 1;
    const isStopped = this.#stopsAll ? this.#steps >= this.#stopAt : this.#steps === this.#stopAt;
    if (!isStopped) return;
    this.#resolveReached();
    await this.#opened;
  }

  open(): void {
    this.#open();
  }
}

/** A storage each of whose calls is a step. */
export function gatedStorage(storage: Storage, gate: StepGate): Storage {
  return {
    async put(key, body) {
      await gate.pass();
      return storage.put(key, body);
    },
    async read(key, offset, length) {
      await gate.pass();
      return storage.read(key, offset, length);
    },
    async stream(key, range) {
      await gate.pass();
      return storage.stream(key, range);
    },
    async remove(key) {
      await gate.pass();
      return storage.remove(key);
    },
    async *list(prefix) {
      await gate.pass();
      yield* storage.list(prefix);
    },
    async removeUnfinished(prefix, before) {
      await gate.pass();
      return storage.removeUnfinished(prefix, before);
    },
    check: () => storage.check(),
    close: () => storage.close(),
  };
}

/** Makes each acquisition of one of the pool's connections a step of the current gate. */
export function gateConnections(database: Database, gate: () => StepGate): void {
  const client = database.client as { acquireConnection(): Promise<unknown> };
  const acquire = client.acquireConnection.bind(client);
  client.acquireConnection = async () => {
    await gate().pass();
    return acquire();
  };
}

/**
 * With which of another actor's steps a collection's step, of so many, is tried; all are from 1. On the embedded parts
 * it is all of them for a collection's first steps, which forget uploads, and its last ones, which compare the objects
 * with the rows and remove them; each statement between, about other rows, is tried with one of them, in turn. The outer
 * circle, on Redis and S3, tries every pair.
 */
export function chosenSteps(step: number, steps: number, others: readonly number[]): readonly number[] {
  const isOfUploads = step <= 2 || step > steps - 6;
  if (isOfUploads || inject('s3Store') !== null) return others;
  return others.filter((_, index) => index === step % others.length);
}
