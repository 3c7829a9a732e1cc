import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { PoolUse } from '../db/database.ts';
import type { LimitUse } from '../limits/fair-slots.ts';
import { within } from '../process/within.ts';

const COLLECT_MS = 2_000;

/**
 * The metrics of one process, for Prometheus. No label names an organization, a module or an import:
 * the number of series does not grow with use.
 */
export class ProcessMetrics {
  readonly registry = new Registry();
  readonly #collectors: { readonly part: string; collect(): Promise<void> | void; forget(): void }[] = [];
  readonly #failures: Counter<'part'>;
  readonly #pools: Gauge<'pool' | 'state'>;
  readonly #poolLimits: Gauge<'pool'>;
  readonly #slots: Gauge<'limit' | 'state'>;
  readonly #slotLimits: Gauge<'limit'>;

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#failures = new Counter({
      name: 'metrics_collection_failures_total',
      help: 'Failed reads of figures when metrics were scraped.',
      labelNames: ['part'],
      registers,
    });
    this.#pools = new Gauge({
      name: 'database_pool_connections',
      help: 'Connections in use and free, and requests that wait for one.',
      labelNames: ['pool', 'state'],
      registers,
    });
    this.#poolLimits = new Gauge({
      name: 'database_pool_max_connections',
      help: 'Connections that the pool may open.',
      labelNames: ['pool'],
      registers,
    });
    this.#slots = new Gauge({
      name: 'limit_slots',
      help: 'Slots in use of what organizations share, and requests that wait for one.',
      labelNames: ['limit', 'state'],
      registers,
    });
    this.#slotLimits = new Gauge({
      name: 'limit_max_slots',
      help: 'Slots of what organizations share.',
      labelNames: ['limit'],
      registers,
    });
  }

  /** Registers figures that are read at each scrape; those that cannot be read are left out. */
  beforeRead(part: string, collect: () => Promise<void> | void, forget: () => void = () => undefined): void {
    this.#failures.inc({ part }, 0);
    this.#collectors.push({ part, collect, forget });
  }

  /** Reports the use of a connection pool. */
  watchPool(pool: string, read: () => PoolUse): void {
    this.beforeRead(`pool ${pool}`, () => {
      const { used, free, pending, max } = read();
      this.#pools.set({ pool, state: 'used' }, used);
      this.#pools.set({ pool, state: 'free' }, free);
      this.#pools.set({ pool, state: 'pending' }, pending);
      this.#poolLimits.set({ pool }, max);
    });
  }

  /** Reports the use of a limit that organizations share. */
  watchLimit(limit: string, read: () => LimitUse): void {
    this.beforeRead(`limit ${limit}`, () => {
      const { used, waiting, max } = read();
      this.#slots.set({ limit, state: 'used' }, used);
      this.#slots.set({ limit, state: 'waiting' }, waiting);
      if (max !== undefined) this.#slotLimits.set({ limit }, max);
    });
  }

  /** Everything in Prometheus' text format. */
  async text(): Promise<string> {
    await Promise.all(
      this.#collectors.map(async ({ part, collect, forget }) => {
        try {
          await within(COLLECT_MS, Promise.resolve(collect()));
        } catch {
          forget();
          this.#failures.inc({ part });
        }
      }),
    );
    return this.registry.metrics();
  }
}
