import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolUse } from '../db/database.ts';
import type { LimitUse } from '../limits/fair-slots.ts';
import { within } from '../process/within.ts';

const COLLECT_MS = 2_000;

/** What Node says of its process, collected once: the timer and the observer of a collection never end. */
const NODE_METRICS = new Registry();
collectDefaultMetrics({ register: NODE_METRICS });

/**
 * The metrics of one process, for Prometheus. No label names an organization, a module or an import:
 * the number of series does not grow with use.
 */
export class ProcessMetrics {
  readonly registry = Registry.merge([NODE_METRICS]);
  readonly #collectors: { readonly part: string; collect(): Promise<void> | void; forget(): void }[] = [];
  readonly #failures = this.counter(
    'metrics_collection_failures_total',
    'Failed reads of figures when metrics were scraped.',
    ['part'],
  );
  readonly #pools = this.gauge(
    'database_pool_connections',
    'Connections in use and free, and requests that wait for one.',
    ['pool', 'state'],
  );
  readonly #poolLimits = this.gauge('database_pool_max_connections', 'Connections that the pool may open.', [
    'pool',
  ]);
  readonly #slots = this.gauge(
    'limit_slots',
    'Slots in use of what organizations share, and requests that wait for one.',
    ['limit', 'state'],
  );
  readonly #slotLimits = this.gauge('limit_max_slots', 'Slots of what organizations share.', ['limit']);

  counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  gauge<Label extends string = never>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ): Histogram<Label> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.registry] });
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
