import type { Log } from '../../shared/telemetry/log.ts';
import { problemFields } from '../../shared/process/part-problem.ts';
import { within } from '../../shared/process/within.ts';
import { SharedReads } from '../http/limits/shared-reads.ts';
import { openDatabase, type Database } from '../../shared/db/database.ts';
import { requireSchema } from '../../shared/db/migrate.ts';
import type { ProcessMetrics } from '../../shared/telemetry/process-metrics.ts';
import type { Context, Parts } from '../../shared/process/context.ts';
import { discoverIssuer } from '../auth/discover-issuer.ts';

/** Less than the time in which metrics are collected. */
const TIMEOUT_MS = 1_500;
/** The longest time that a starting process waits for a part before it serves what needs the others. */
const START_MS = 30_000;

/** Whether a part answers. */
export type PartState = 'ok' | 'unavailable';

/** How one part is checked. */
export interface PartCheck {
  /** Rejects where the part does not work. */
  readonly check: () => PromiseLike<unknown>;
  /** Without it no request can be served: the process is not ready while it is unavailable. */
  readonly isVital: boolean;
  /** The time for which a result is reused: probes of many load balancers must not flood somebody else's server. */
  readonly keptMs?: number;
}

/** The report of `/readyz`. */
export interface Health<Part extends string> {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly parts: Readonly<Record<Part, PartState>>;
}

/** Checks the parts of a process when somebody asks, and logs once that one went or came back. */
export class HealthChecks<Part extends string> {
  readonly #checks: Readonly<Record<Part, PartCheck>>;
  readonly #log: Log;
  readonly #reads = new SharedReads<PartState>();
  readonly #last = new Map<Part, { readonly state: PartState; readonly atMs: number }>();
  readonly #worked = new Set<Part>();
  readonly #startMs = performance.now();

  constructor(checks: Readonly<Record<Part, PartCheck>>, log: Log) {
    this.#checks = checks;
    this.#log = log;
  }

  /**
   * The state of all parts. Without a vital one, nothing works. Any other degrades the process; while the process starts, it
   * waits for each of them, so that it does not replace one that works better.
   */
  async read(): Promise<Health<Part>> {
    const entries = Object.entries(this.#checks) as [Part, PartCheck][];
    const states = await Promise.all(
      entries.map(async ([part]) => [part, await this.#reads.read(part, () => this.#state(part))] as const),
    );
    const parts = Object.fromEntries(states) as Record<Part, PartState>;
    const missing = entries.filter(([part]) => parts[part] !== 'ok');
    const isStarting = performance.now() - this.#startMs < START_MS;
    const isUnready = missing.some(
      ([part, { isVital }]) => isVital || (isStarting && !this.#worked.has(part)),
    );
    return { status: isUnready ? 'unavailable' : missing.length > 0 ? 'degraded' : 'ok', parts };
  }

  async #state(part: Part): Promise<PartState> {
    const { check, keptMs = 0 } = this.#checks[part];
    const last = this.#last.get(part);
    if (last !== undefined && performance.now() - last.atMs < keptMs) return last.state;
    const state = await within(TIMEOUT_MS, Promise.resolve(check())).then(
      () => this.#works(part),
      (error: unknown) => this.#fails(part, error),
    );
    this.#last.set(part, { state, atMs: performance.now() });
    return state;
  }

  #works(part: Part): PartState {
    if (this.#last.get(part)?.state === 'unavailable') this.#log.info({ part }, 'part is available');
    this.#worked.add(part);
    return 'ok';
  }

  #fails(part: Part, error: unknown): PartState {
    if (this.#last.get(part)?.state !== 'unavailable')
      this.#log.warn({ part, ...problemFields(error) }, 'part is unavailable');
    return 'unavailable';
  }
}

/** The parts whose state `/readyz` reports. */
export type HealthOfParts = HealthChecks<'database' | 'storage' | 'queue' | 'issuer'>;

/** Somebody else's server, and its answer changes rarely. */
const ISSUER_CHECK_KEPT_MS = 5_000;

/** One connection for health answers and metrics, whatever the other requests do. */
export function openHealthDatabase({ queueConnection, log }: Parts): Database {
  return openDatabase({ url: queueConnection.databaseUrl, poolSize: 1, log });
}

/** Checks of the parts, the database by a connection of its own. */
export function openHealth(
  { storage, queue, queueConnection, log }: Parts & Pick<Context, 'queue'>,
  healthDatabase: Database,
  issuer: string,
): HealthOfParts {
  return new HealthChecks(
    {
      database: { check: () => requireSchema(healthDatabase, queueConnection.databaseUrl), isVital: true },
      storage: { check: () => storage.check(), isVital: false },
      queue: { check: () => queue.check(), isVital: false },
      issuer: { check: () => discoverIssuer(issuer), isVital: false, keptMs: ISSUER_CHECK_KEPT_MS },
    },
    log,
  );
}

/** Reports the state of each part when metrics are collected. Returns the same checks. */
export function reportHealth(processMetrics: ProcessMetrics, health: HealthOfParts): HealthOfParts {
  const degraded = processMetrics.gauge(
    'part_degraded',
    'Whether a part of the service is unavailable: 1, otherwise 0.',
    ['part'],
  );
  const collect = async () => {
    const { parts } = await health.read();
    for (const [part, state] of Object.entries(parts)) degraded.set({ part }, state === 'ok' ? 0 : 1);
  };
  processMetrics.beforeRead('health', collect, () => degraded.reset());
  return health;
}
