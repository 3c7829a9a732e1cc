import type { RequestHandler } from 'express';
import type { ApiContext } from '../../../api/context.ts';
import type { Endpoint } from '../../../api/http/endpoint.ts';
import { IMPORT_ENDPOINTS } from '../../../api/imports/import-endpoints.ts';
import { ImportGroups } from '../../../api/imports/import-groups.ts';
import { ImportWaiter } from '../../../api/imports/import-waiter.ts';
import { MODULE_ENDPOINTS } from '../../../api/modules/module-endpoints.ts';
import { makeApiMetrics } from '../../../api/operations/api-metrics.ts';
import { OPERATION_ENDPOINTS } from '../../../api/operations/operation-endpoints.ts';
import { loadConfig, type Config } from '../../../shared/config/config.ts';
import { ModuleQuota } from '../../../shared/registration/module-quota.ts';
import { NewModules } from '../../../shared/registration/new-modules.ts';
import { writeRevisions } from '../../../shared/db/modules/write-revision.ts';
import { startImports, type NewAttempt } from '../../../shared/db/imports/attempts.ts';
import { TurnBatches } from '../../../shared/db/together.ts';
import { IMPORTS_CHANNEL } from '../../../shared/db/imports/imports.ts';
import { Notifier } from '../../../shared/db/notifications.ts';
import { EncryptionKeys, KEY_BYTES } from '../../../shared/encryption/encryption-keys.ts';
import type { Context } from '../../../shared/process/context.ts';
import type { Log } from '../../../shared/telemetry/log.ts';
import { ProcessMetrics } from '../../../shared/telemetry/process-metrics.ts';
import { openTracing } from '../../../shared/telemetry/tracing.ts';
import { collectGarbage } from '../../../worker/maintenance/collect-garbage.ts';
import { failTakenOver } from '../../../worker/import/fail-import.ts';
import { openFileThreads } from '../../../worker/import/file-threads.ts';
import { importGroup } from '../../../worker/import/import-group.ts';
import { importModule } from '../../../worker/import/import-module.ts';
import { startSchedule } from '../../../worker/schedule.ts';
import { sweepImports, sweepLostImports } from '../../../worker/maintenance/sweep-imports.ts';
import type { WorkerContext } from '../../../worker/worker-context.ts';
import { FairRate } from '../../../shared/limits/fair-rate.ts';
import { makeWorkerMetrics } from '../../../worker/worker-metrics.ts';
import { DatabaseServer, DEPLOYMENT } from './database-server.ts';
import { QueueServer } from './queue-server.ts';
import { asDatabase, SimulatedDatabase } from './simulated-database.ts';
import { callEndpoint, type SimulatedAnswer, type SimulatedCall } from './simulated-request.ts';
import { StorageServer } from './storage-server.ts';
import { Machine, type World } from './world.ts';

/** Longer than the simulation's longest upload, as the product's is longer than its own. */
export const GRACE_MS = 60_000;
const MINUTES = 1 / (24 * 60);
const COLLECT_MS = 20_000;

const processMetrics = new ProcessMetrics();
const metrics = { api: makeApiMetrics(processMetrics), worker: makeWorkerMetrics(processMetrics) };
const encryptionKeys = new EncryptionKeys([{ id: 'simulated', key: Buffer.alloc(KEY_BYTES) }]);
const tracing = await openTracing('simulation', null);
const loaded = loadConfig({});

/** Hours of the product are minutes here: otherwise most of a simulation would be waiting. */
export const CONFIG: Config = {
  ...loaded,
  imports: {
    ...loaded.imports,
    ...{ waitSeconds: 30, stepSeconds: 20, deadlineSeconds: 10 },
    ...{ uploadRetentionDays: 10 * MINUTES, importRetentionDays: 15 * MINUTES },
  },
  retention: {
    ...loaded.retention,
    ...{ deletedModuleDays: MINUTES / 3, revisionDays: MINUTES / 4, minRevisionsPerModule: 1 },
  },
};

const LIMITS = {
  ...CONFIG.quotas,
  maxImportsPerMinute: CONFIG.imports.maxImportsPerMinute,
  maxRequestsPerSecondPerOrganization: CONFIG.sharing.maxRequestsPerSecondPerOrganization,
};

const HANDLERS = new Map<string, Endpoint>(
  [...IMPORT_ENDPOINTS, ...MODULE_ENDPOINTS, ...OPERATION_ENDPOINTS].map((each) => [each.id, each]),
);

/** A running API process. */
interface Api {
  readonly machine: Machine;
  readonly waiter: ImportWaiter;
  readonly handlers: Map<string, RequestHandler>;
  readonly context: ApiContext;
}

/** The whole service: processes that run the product's code, and simulated parts. */
export class Service {
  readonly world: World;
  readonly database: DatabaseServer;
  readonly storage: StorageServer;
  readonly queue: QueueServer;
  readonly apis: Api[] = [];
  readonly workers: Machine[] = [];
  #started = 0;

  constructor(world: World) {
    this.world = world;
    const { random } = world;
    this.database = new DatabaseServer(world);
    this.storage = new StorageServer(world);
    this.queue = new QueueServer(world, random.between(0, 3));
    this.database.onNotify = (message) => this.#notify(message);
  }

  startApi(): void {
    const machine = this.#machine('api');
    const shared = this.#context(machine);
    const waiter = this.world.clock.as(machine, () => new ImportWaiter(shared.database, shared.log));
    const organization = (request: { readonly params: Readonly<Record<string, string>> }) => ({
      principal: { subject: 'somebody' },
      organization: organizationOf(request.params['orgId'] ?? ''),
    });
    const context = {
      ...shared,
      metrics: metrics.api,
      access: { organization, publisher: () => null, operator: () => ({ subject: 'an operator' }) },
      changes: { soon: () => undefined },
      admission: {
        requestRate: new FairRate({ what: 'requests', perSecond: 1_000_000, keptSeconds: 1 }),
        turns: { awaitTurn: () => Promise.resolve() },
      },
      imports: {
        waiter,
        groups: new ImportGroups(shared.database),
        rate: { spend: () => Promise.resolve(0) },
        uploadSlots: { takeNow: () => () => undefined },
        quota: { open: () => ({ growTo: () => Promise.resolve(), end: () => undefined }) },
      },
    } as unknown as ApiContext;
    this.apis.push({ machine, waiter, handlers: new Map(), context });
  }

  startWorker(): void {
    const machine = this.#machine('worker');
    const context = this.workerContext(machine);
    this.queue.work(
      machine,
      {
        run: (job) => importModule(context, job),
        runGroup: (group, run) => importGroup(context, group, run),
        exhausted: (job) => failTakenOver(context, job),
      },
      2,
    );
    const tasks = [
      { name: 'sweep-lost-imports', everyMs: 2_000, run: () => sweepLostImports(context) },
      { name: 'sweep-imports', everyMs: 30_000, run: () => sweepImports(context) },
      { name: 'collect-garbage', everyMs: COLLECT_MS, run: () => collectGarbage(context, GRACE_MS) },
    ];
    this.world.clock.as(machine, () => startSchedule(context, metrics.worker.taskRuns, tasks));
    this.workers.push(machine);
  }

  workerContext(machine: Machine): WorkerContext {
    const shared = this.#context(machine);
    const asyncCommitDatabase = asDatabase(new SimulatedDatabase(this.database, machine, true));
    const notifier = new Notifier(asyncCommitDatabase, IMPORTS_CHANNEL, shared.log);
    const { limits } = CONFIG;
    const fileThreads = openFileThreads(CONFIG);
    const validationSettings = { limits, requiredFolders: [], catalogue: shared.catalogue.forPackages };
    return {
      ...shared,
      asyncCommitDatabase,
      starts: new TurnBatches((attempts: readonly NewAttempt[]) =>
        startImports(asyncCommitDatabase, attempts),
      ),
      notifier,
      moduleQuota: new ModuleQuota(),
      newModules: new NewModules((writes) => writeRevisions(shared.database, writes)),
      metrics: metrics.worker,
      validationSettings,
      fileThreads,
      packageCheck: null,
    };
  }

  kill(machine: Machine): void {
    this.world.note(() => `${machine.name} is killed`);
    machine.kill();
    this.#forget(machine);
  }

  /** A client's call of some API process; null where no answer arrives. */
  async call(endpoint: string, call: SimulatedCall): Promise<SimulatedAnswer | null> {
    const { clock, random } = this.world;
    if (this.apis.length === 0) return null;
    const api = random.pick(this.apis);
    const handler = api.handlers.get(endpoint) ?? HANDLERS.get(endpoint)!.handler(api.context);
    api.handlers.set(endpoint, handler);
    return new Promise((resolve) => {
      api.machine.whenKilled(() => resolve(null));
      clock.after(random.between(0, 20), api.machine, () => {
        void callEndpoint(handler, call).then((answer) => {
          clock.after(random.between(0, 20), api.machine, () => resolve(answer));
        });
      });
    });
  }

  #machine(kind: string): Machine {
    this.#started += 1;
    return new Machine(`${kind} ${this.#started}`);
  }

  #forget(machine: Machine): void {
    const at = this.apis.findIndex((api) => api.machine === machine);
    if (at >= 0) this.apis.splice(at, 1);
    const of = this.workers.indexOf(machine);
    if (of >= 0) this.workers.splice(of, 1);
  }

  #notify(message: string): void {
    for (const { machine, waiter } of this.apis) {
      if (this.world.random.chance(0.1)) continue;
      this.world.clock.after(this.database.link.latencyMs(), machine, () => waiter.notified(message));
    }
  }

  #context(machine: Machine): Context {
    return {
      config: CONFIG,
      log: this.#log(machine),
      database: asDatabase(new SimulatedDatabase(this.database, machine)),
      deploymentId: DEPLOYMENT,
      storage: this.storage.open(machine),
      encryptionKeys,
      organizationLimits: {
        standard: LIMITS,
        of: () => Promise.resolve(LIMITS),
        recall: () => LIMITS,
        changed: () => undefined,
      },
      missingKeyIds: new Set(),
      queue: this.queue.open(machine),
      queueConnection: { redisUrl: null, databaseUrl: '' },
      catalogue: {} as Context['catalogue'],
      processMetrics,
      tracing,
      close: () => Promise.resolve(),
    };
  }

  #log(machine: Machine): Log {
    const write = ({ importId, err }: { importId?: string; err?: unknown }, message: string) =>
      this.world.note(() =>
        [`${machine.name}: ${message}`, importId, err instanceof Error ? err.message : null]
          .filter((each) => each !== undefined && each !== null)
          .join(' — '),
      );
    const log = (bound: object): unknown => {
      const level = (fields: object | string, message = '') => {
        if (typeof fields === 'string') write(bound, fields);
        else write({ ...bound, ...fields }, message);
      };
      return {
        ...{ info: level, warn: level, error: level, debug: level },
        child: (fields: object) => log({ ...bound, ...fields }),
      };
    };
    return log({}) as Log;
  }
}

const TENANT = '70000000-0000-4000-8000-000000000001';

function organizationOf(id: string) {
  return { id, tenantId: TENANT, kind: 'vendor' as const };
}
