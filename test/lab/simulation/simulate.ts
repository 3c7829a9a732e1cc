import { Clients } from './clients.ts';
import { Faults } from './faults.ts';
import { GuaranteeWatch } from './guarantees.ts';
import type { ProtocolError } from './protocol-errors.ts';
import { GRACE_MS, CONFIG, Service } from './service.ts';
import { Machine, World, type BrokenGuarantee } from './world.ts';
import { collectGarbage } from '../../../worker/maintenance/collect-garbage.ts';

const FAULTS_MS = 60_000;
/** After the last fault: the deadline of an import, the sweep that ends overdue ones, and the waits of its job. */
const RECOVERY_MS = 240_000;
const DAY_MS = 86_400_000;

/** The result of one simulation. */
export interface Simulation {
  readonly seed: number;
  readonly broken: BrokenGuarantee | null;
  /** The trace, a line for each event; empty without tracing. */
  readonly trace: readonly string[];
  readonly imports: number;
}

export interface SimulationOptions {
  readonly protocolError?: ProtocolError;
  readonly withTrace?: boolean;
}

/** Runs the import protocol once, as the seed says. */
export async function simulate(
  seed: number,
  { protocolError, withTrace = false }: SimulationOptions = {},
): Promise<Simulation> {
  const trace: string[] = [];
  const world = new World(seed, withTrace ? trace : null);
  const watch = await world.clock.during(() => runProtocol(world, protocolError ?? null));
  const { broken } = world;
  return { seed, broken, trace: namedIds(trace), imports: watch.imports.size };
}

async function runProtocol(world: World, protocolError: ProtocolError | null): Promise<GuaranteeWatch> {
  const service = new Service(world);
  const faults = new Faults(service);
  const watch = new GuaranteeWatch(service, faults.areAny);
  protocolError?.plant(service);
  // Most errors of a simulation are meant, and nobody reads where they were made.
  Error.stackTraceLimit = 0;
  const clients = new Clients(service, watch, faults.areAny);
  for (let each = 0; each < 2; each += 1) {
    service.startApi();
    service.startWorker();
  }
  clients.start(FAULTS_MS - 20_000);
  faults.start(FAULTS_MS);
  const isQuiet = () => clients.areDone && watch.unfinished() === null;
  await run(world, FAULTS_MS, isQuiet);
  faults.stop();
  await recover(world, watch, isQuiet);
  if (world.random.chance(0.3) && world.broken === null) {
    let isRetried = false;
    void clients.retryFailed().then(() => (isRetried = true));
    await recover(world, watch, () => isRetried && isQuiet());
  }
  if (world.broken === null) watch.checkEnd();
  if (world.broken === null) await collect(service, watch);
  if (world.broken === null) await retryTooLate(service, clients);
  return watch;
}

async function run(world: World, durationMs: number, isDone = () => false): Promise<void> {
  await world.clock.runUntil(world.clock.nowMs + durationMs, () => world.broken !== null || isDone());
}

async function recover(world: World, watch: GuaranteeWatch, isQuiet: () => boolean): Promise<void> {
  await run(world, RECOVERY_MS, isQuiet);
  const row = watch.unfinished();
  world.require(row === null, 'every-import-ends', () => `${row?.id} is ${row?.status}`);
}

/** All processes stop, the time for which archives are kept passes, and a worker collects what is left. */
async function collect(service: Service, watch: GuaranteeWatch): Promise<void> {
  const { world } = service;
  for (const machine of [...service.workers, ...service.apis.map((api) => api.machine)])
    service.kill(machine);
  await run(world, 1_000);
  const keptMs = CONFIG.imports.uploadRetentionDays * DAY_MS;
  // The rows of imports are kept for longer than their archives.
  for (const waitMs of [GRACE_MS, keptMs, GRACE_MS]) {
    world.clock.nowMs += waitMs;
    let isDone = false;
    const machine = new Machine('collector');
    const start = () =>
      void collectGarbage(service.workerContext(machine), GRACE_MS).finally(() => (isDone = true));
    world.clock.after(1, machine, start);
    await run(world, 60_000, () => isDone);
  }
  watch.checkCollected();
}

/** An operator retries imports whose uploads are no longer kept. */
async function retryTooLate(service: Service, clients: Clients): Promise<void> {
  let isDone = false;
  service.startApi();
  void clients.retryFailed().then(() => (isDone = true));
  await run(service.world, 10_000, () => isDone);
}

/** IDs are random: their names in the order in which they appear are the same in every run of a seed. */
function namedIds(trace: readonly string[]): readonly string[] {
  const names = new Map<string, string>();
  return trace.map((line) =>
    line.replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, (id) => {
      const name = names.get(id) ?? `#${names.size + 1}`;
      names.set(id, name);
      return name;
    }),
  );
}
