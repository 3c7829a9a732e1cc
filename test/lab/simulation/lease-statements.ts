import type { LeasedTask, LeaseKey } from '../../../shared/db/leases.ts';
import type { World } from './world.ts';

interface Lease {
  readonly holder: string | null;
  readonly dueMs: number;
  readonly expiresMs: number;
}

const NEW: Lease = { holder: null, dueMs: 0, expiresMs: 0 };

/** The statements of `shared/db/leases.ts`, on tables in memory. */
export class LeaseStatements {
  readonly #world: World;
  readonly #leases = new Map<string, Lease>();

  constructor(world: World) {
    this.#world = world;
  }

  claimDue(holder: string, tasks: readonly LeasedTask[]): readonly string[] {
    const { nowMs } = this.#world.clock;
    const due = tasks.filter(({ name, leaseMs, everyMs }) => {
      const { dueMs, expiresMs } = this.#leases.get(name) ?? NEW;
      const isOver = (atMs: number, longestMs: number) => atMs <= nowMs || atMs > nowMs + 2 * longestMs;
      return isOver(dueMs, everyMs) && isOver(expiresMs, leaseMs);
    });
    for (const { name, leaseMs } of due) this.#set(name, { holder, expiresMs: nowMs + leaseMs });
    return due.map(({ name }) => name);
  }

  extend({ name, holder }: LeaseKey, leaseMs: number): void {
    if (this.#leases.get(name)?.holder === holder)
      this.#set(name, { expiresMs: this.#world.clock.nowMs + leaseMs });
  }

  giveBack({ name, holder }: LeaseKey, everyMs: number): void {
    const { nowMs } = this.#world.clock;
    if (this.#leases.get(name)?.holder !== holder) return;
    const dueMs = nowMs + everyMs * (0.9 + this.#world.random.next() * 0.2);
    this.#set(name, { holder: null, expiresMs: nowMs, dueMs });
  }

  #set(name: string, changes: Partial<Lease>): void {
    this.#leases.set(name, { ...(this.#leases.get(name) ?? NEW), ...changes });
  }
}
