import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { loadCatalogue } from '../../../shared/catalogue/catalogue.ts';
import { putOrganization } from '../../../shared/db/access/organizations.ts';
import { openDatabase } from '../../../shared/db/database.ts';
import { migrate } from '../../../shared/db/migrate.ts';
import { ensureDatabase, startPostgres } from '../../../shared/local/postgres.ts';
import { NODE_OPTIONS } from '../../../shared/process/node-options.ts';
import { FIXTURE_ACTOR } from '../../support/fixture-actor.ts';
import { HOSTILE_BODIES } from '../../support/hostile-inputs/hostile-bodies.ts';
import { HOSTILE_DIRECTORIES, mostFiles } from '../../support/hostile-inputs/hostile-directories.ts';
import { HOSTILE_FILES } from '../../support/hostile-inputs/hostile-files.ts';
import {
  HOSTILE_BOUNDARY,
  HOSTILE_UPLOADS,
  hostileForm,
} from '../../support/hostile-inputs/hostile-uploads.ts';
import { packageForm } from '../../support/package-form.ts';
import { samplePackage } from '../../support/sample-package.ts';
import { startTestIssuer } from '../../support/test-issuer.ts';
import { printTable } from './measure.ts';

const MIB = 1024 * 1024;
/** Of the sample package, without its descriptor. */
const SAMPLE_FILES = 7;
/** The most that one turn of an event loop may take, as a multiple of the floor: 48 ms where that is 8 ms. */
const MAX_FLOORS = 6;
const ROUNDS = 10;
const SHOWN = 12;
const LOOP_WATCH = path.resolve(import.meta.dirname, '../../../../test/lab/bench/loop-watch.mjs');

/** Input from outside that is within the limits and expensive. */
interface HostileInput {
  readonly title: string;
  /** The process with the event loop that it might block. */
  readonly process: 'api' | 'worker';
  /** Sends it. @throws Error where the answer is not the one that is due */
  send(): Promise<unknown>;
}

/** A process of the service that measures its event loop. */
interface WatchedProcess {
  /** The longest turn of its event loop since the last call, in processor time of the main thread. */
  worstMs(): Promise<number>;
  stop(): Promise<void>;
}

/** The service on its own parts, with an organization of each kind that sends all of it. */
interface WatchedService {
  readonly api: WatchedProcess;
  readonly worker: WatchedProcess;
  /** Calls an endpoint of an organization. @throws Error unless it answers with one of these statuses */
  call(
    kind: 'vendor' | 'farmer',
    endpoint: string,
    statuses: readonly number[],
    init?: RequestInit,
  ): Promise<Response>;
  stop(): Promise<void>;
}

/**
 * The longest time for which each hostile input blocks an event loop of the service, in processor time: the time of others
 * on this machine does not count. The command fails where one takes more than six times the floor each time.
 */
export async function benchStalls(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-stalls-'));
  const service = await startWatchedService(folder);
  const floor = floorMs();
  try {
    const stalls: Stall[] = [];
    for (const input of hostileInputs(service)) stalls.push(await worstStall(service, input, floor));
    report(stalls, floor);
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What this machine takes to parse a list of 50,000 small objects, at its best. */
function floorMs(): number {
  const text = JSON.stringify(Array.from({ length: 50_000 }, (_, id) => ({ id })));
  const times = Array.from({ length: 20 }, () => {
    const before = process.cpuUsage();
    JSON.parse(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

/** How long an input blocks an event loop, and how many floors that is. */
interface Stall {
  readonly title: string;
  readonly ms: number;
  readonly floors: number;
}

function report(stalls: readonly Stall[], floor: number): void {
  const worst = stalls.toSorted((a, b) => b.ms - a.ms);
  const tooLong = worst.filter(({ floors }) => floors > MAX_FLOORS);
  const shown = worst.slice(0, Math.max(SHOWN, tooLong.length));
  printTable([
    ['hostile input', 'longest turn, ms of processor time', 'floors'],
    ...shown.map(({ title, ms, floors }) => [title, ms.toFixed(1), floors.toFixed(1)]),
  ]);
  console.log(
    `${stalls.length} inputs, ${tooLong.length} above ${MAX_FLOORS} times the floor of ${floor.toFixed(1)} ms`,
  );
  if (tooLong.length > 0) process.exitCode = 1;
}

/**
 * The shortest of ten: a collection of garbage, or code that is compiled for the first time, is not the input's. The floor
 * is measured again beside an input that takes too long, because a machine may become slower.
 */
async function worstStall(
  service: WatchedService,
  { title, process, send }: HostileInput,
  floor: number,
): Promise<Stall> {
  const watched = service[process];
  let least: Stall = { title, ms: Number.POSITIVE_INFINITY, floors: Number.POSITIVE_INFINITY };
  for (let round = 1; round <= ROUNDS && least.floors > MAX_FLOORS; round += 1) {
    await watched.worstMs();
    await send();
    const ms = await watched.worstMs();
    const present = ms > MAX_FLOORS * floor ? Math.max(floor, floorMs()) : floor;
    if (ms / present < least.floors) least = { title, ms, floors: ms / present };
  }
  return least;
}

/** The modules of the last inputs have as many files as are allowed. */
function* hostileInputs(service: WatchedService): Generator<HostileInput> {
  for (const [title, body] of HOSTILE_BODIES) {
    const init = { method: 'PUT', body: body(MIB), headers: { 'Content-Type': 'application/json' } };
    yield {
      title: `body: ${title}`,
      process: 'api',
      send: () => service.call('farmer', 'structures', [400], init),
    };
  }
  for (const [title, unit] of HOSTILE_UPLOADS) {
    const headers = {
      'Content-Type': `multipart/form-data; boundary=${HOSTILE_BOUNDARY}`,
      Prefer: 'respond-async',
    };
    const init = { method: 'POST', body: hostileForm(unit, 8 * MIB), headers };
    const send = () => service.call('vendor', 'ImportModuleAsync', [202], init);
    yield { title: `upload: ${title}`, process: 'api', send };
  }
  const catalogue = loadCatalogue();
  const importOf = (zip: Buffer, query: string, statuses: readonly number[]) =>
    service.call('vendor', `ImportModuleAsync${query}`, statuses, { method: 'POST', body: packageForm(zip) });
  for (const [title, make] of HOSTILE_DIRECTORIES) {
    const zip = make();
    const send = () => importOf(zip, '?validateOnly=true', [200, 400]);
    yield { title: `directory: ${title}`, process: 'worker', send };
  }
  for (const [title, file, content] of HOSTILE_FILES) {
    const zip = samplePackage(catalogue, { files: { [file]: content() } });
    const send = () => importOf(zip, '?validateOnly=true', [200, 400]);
    yield { title: `file: ${title}`, process: 'worker', send };
  }
  yield* modulesOfMostFiles(service, importOf);
}

function* modulesOfMostFiles(
  service: WatchedService,
  importOf: (zip: Buffer, query: string, statuses: readonly number[]) => Promise<unknown>,
): Generator<HostileInput> {
  const files = mostFiles(SAMPLE_FILES + 1);
  const moduleId = randomUUID();
  const packageOf = (component: string) =>
    samplePackage(loadCatalogue(), { descriptor: { moduleId, component }, files });
  let updates = 0;
  const created = packageOf('first');
  yield { title: 'most files: created', process: 'worker', send: () => importOf(created, '', [200]) };
  yield { title: 'most files: unchanged', process: 'worker', send: () => importOf(created, '', [200]) };
  const update = () => importOf(packageOf(`update-${(updates += 1)}`), '', [200]);
  yield { title: 'most files: updated', process: 'worker', send: update };
  const read = async (endpoint: string) => {
    const answer = await service.call('vendor', endpoint, [200]);
    await answer.arrayBuffer();
  };
  for (const endpoint of [
    `modules/${moduleId}`,
    `modules/${moduleId}/revisions`,
    `ExportModuleAsync/${moduleId}`,
  ])
    yield {
      title: `most files: ${endpoint.split('/')[0] ?? ''}`,
      process: 'api',
      send: () => read(endpoint),
    };
}

async function startWatchedService(folder: string): Promise<WatchedService> {
  const postgres = await startPostgres(path.join(folder, 'postgres'));
  const databaseUrl = await ensureDatabase(postgres.url, 'stalls');
  await migrate(databaseUrl);
  const issuer = await startTestIssuer();
  const organizations = { vendor: randomUUID(), farmer: randomUUID() };
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  for (const kind of ['vendor', 'farmer'] as const) {
    const organization = { id: organizations[kind], tenantId: randomUUID(), kind, name: kind };
    await putOrganization(database, organization, FIXTURE_ACTOR);
  }
  await database.destroy();
  const roles = ['OrganizationAdmin'];
  const token = await issuer.token({
    organizations: Object.values(organizations).map((id) => ({ id, roles })),
  });
  const environment = {
    PATH: process.env['PATH'],
    DATABASE_URL: databaseUrl,
    DATA_DIR: path.join(folder, 'data'),
    AUTH_ISSUER: issuer.url,
    LOG_LEVEL: 'fatal',
    PORT: '0',
    // One organization sends all of it: its shares are not what is measured.
    MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION: '10000000',
  };
  const api = await startWatched('api', environment);
  const worker = await startWatched('worker', environment);
  return {
    api,
    worker,
    async call(kind, endpoint, statuses, init = {}) {
      const url = `http://127.0.0.1:${api.port}/api/v8.0/${organizations[kind]}/${endpoint}`;
      const headers = { Authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
      const answer = await fetch(url, { ...init, headers });
      if (statuses.includes(answer.status)) return answer;
      throw new Error(`${endpoint} answered ${answer.status}: ${await answer.text()}`);
    },
    async stop() {
      for (const each of [api, worker]) await each.stop();
      await issuer.stop();
      await postgres.stop();
    },
  };
}

async function startWatched(
  name: 'api' | 'worker',
  env: NodeJS.ProcessEnv,
): Promise<WatchedProcess & { readonly port: number }> {
  const child = fork(path.resolve(import.meta.dirname, `../../../${name}/main.js`), {
    env,
    execArgv: [...NODE_OPTIONS, '--import', LOOP_WATCH],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { listening = 0 } = await nextMessage<{ listening?: number }>(child, name);
  return {
    port: listening,
    async worstMs() {
      const answered = nextMessage<{ worst: { processorMs: number } }>(child, name);
      child.send('worst stall');
      return (await answered).worst.processorMs;
    },
    async stop() {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function nextMessage<Message>(child: ChildProcess, name: string): Promise<Message> {
  const late = new AbortController();
  const { signal } = late;
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error(`the ${name} process has ended`);
  });
  ended.catch(() => undefined);
  const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Message];
  late.abort();
  return message;
}
