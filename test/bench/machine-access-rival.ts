import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import type { Database } from '../../shared/db/database.ts';
import type { SeededModule } from './machine-access-seed.ts';
import { processorSeconds } from './processor-time.ts';
import { loadReads } from './read-load.ts';
import type { ReadTarget } from './read-load.ts';

const CLIENTS = 32;
const ROUNDS = 3;
const SECONDS = 2;

/** A line of the table. */
export type Row = readonly [what: string, measured: string, floor: string, result: string, wanted: string];

/** Where the service is, and what it is compared with. */
export interface ComparedService {
  readonly port: number;
  readonly pid: number;
  readonly postgresPid: number;
  readonly databaseUrl: string;
  readonly database: Database;
}

/** One kind of answer of the service, or the rival's. */
interface Side {
  readonly targets: readonly ReadTarget[];
  readonly pid: number;
  readonly status: number;
}

/** What one side did in a round. */
interface Round {
  readonly perSecond: number;
  /** Of one answer. */
  readonly processMs: number;
  readonly postgresMs: number;
}

/**
 * Short answers and 304s beside the rival's, which sends texts of the same length: with one module for all
 * clients, as where its back end polls, and with another for each of them.
 */
export async function benchAgainstRival(
  service: ComparedService,
  modules: readonly SeededModule[],
): Promise<Row[]> {
  const rival = await startRival(service, modules);
  try {
    const [one] = modules;
    if (one === undefined) throw new Error('there is no module');
    return [
      ...(await compare(service, rival, [one], ['0.8', '2'])),
      ...(await compare(service, rival, modules, ['', ''])),
    ];
  } finally {
    rival.child.kill('SIGKILL');
  }
}

interface Rival {
  readonly child: ChildProcess;
  readonly port: number;
}

async function startRival(service: ComparedService, modules: readonly SeededModule[]): Promise<Rival> {
  const { database } = service;
  await database.raw('create table rival_answers (id uuid primary key, body text not null)');
  await database.raw('create table rival_keys (sha256 text primary key)');
  for (const module of modules) {
    const body = await (await fetchStructures(service, module)).text();
    await database('rival_answers').insert({ id: module.moduleId, body });
    await database('rival_keys').insert({ sha256: createHash('sha256').update(module.key).digest('hex') });
  }
  await database.raw('vacuum analyze rival_answers, rival_keys');
  const script = path.join(import.meta.dirname, `read-rival${import.meta.filename.slice(-3)}`);
  const child = fork(script, {
    env: { ...process.env, DATABASE_URL: service.databaseUrl, NODE_ENV: 'production' },
  });
  const [{ listening }] = (await once(child, 'message')) as [{ listening: number }];
  return { child, port: listening };
}

const pathOf = ({ moduleId }: SeededModule) => `/api/v8.0/Alerts/StructuresByModuleId/${moduleId}`;

async function fetchStructures({ port }: ComparedService, module: SeededModule): Promise<Response> {
  const headers = { 'X-Api-Key': module.key, 'Accept-Encoding': 'identity' };
  const answer = await fetch(`http://127.0.0.1:${port}${pathOf(module)}`, { headers });
  if (answer.status !== 200) throw new Error(`the read answered ${answer.status}`);
  return answer;
}

async function compare(
  service: ComparedService,
  rival: Rival,
  modules: readonly SeededModule[],
  [wantedReads, wantedUnchanged]: readonly [string, string],
): Promise<Row[]> {
  const answers = await Promise.all(modules.map((module) => fetchStructures(service, module)));
  const length = answers[0]?.headers.get('content-length') ?? '';
  const { port, pid } = service;
  const side = (
    target: (module: SeededModule, index: number) => ReadTarget,
    owner: number,
    status = 200,
  ) => ({
    targets: Array.from({ length: CLIENTS }, (_, client) => {
      const index = client % modules.length;
      const module = modules[index];
      if (module === undefined) throw new Error('there is no module');
      return target(module, index);
    }),
    pid: owner,
    status,
  });
  const ours = (module: SeededModule) => ({
    port,
    path: pathOf(module),
    headers: { 'X-Api-Key': module.key },
  });
  const rounds = await measureSides(service.postgresPid, [
    side(
      ({ moduleId, key }) => ({
        port: rival.port,
        path: `/answers/${moduleId}`,
        headers: { 'X-Api-Key': key },
      }),
      rival.child.pid ?? 0,
    ),
    side(ours, pid),
    side(
      (module, index) => {
        const etag = answers[index]?.headers.get('etag') ?? '';
        return { ...ours(module), headers: { 'X-Api-Key': module.key, 'If-None-Match': etag } };
      },
      pid,
      304,
    ),
  ]);
  const [rivals = [], reads = [], unchanged = []] = rounds;
  const whose = modules.length === 1 ? '' : `, ${modules.length} modules`;
  return [
    ...rowsOf(
      `structures of ${(Number(length) / 1_000).toFixed(1)} KB / rival${whose}`,
      reads,
      rivals,
      wantedReads,
    ),
    ...rowsOf(`304 / rival${whose}`, unchanged, rivals, wantedUnchanged),
  ];
}

/** Each side warm, then all of them in turn. */
async function measureSides(postgresPid: number, sides: readonly Side[]): Promise<Round[][]> {
  for (const { targets, status } of sides) await loadReads(targets, SECONDS, status);
  const rounds: Round[][] = sides.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, side] of sides.entries()) rounds[index]?.push(await measureSide(postgresPid, side));
  return rounds;
}

async function measureSide(postgresPid: number, { targets, pid, status }: Side): Promise<Round> {
  const used = () => Promise.all([processorSeconds(pid), processorSeconds(postgresPid)]);
  const [process, postgres] = await used();
  const perSecond = await loadReads(targets, SECONDS, status);
  const [processAfter, postgresAfter] = await used();
  const answers = perSecond * SECONDS;
  return {
    perSecond,
    processMs: ((processAfter - process) * 1_000) / answers,
    postgresMs: ((postgresAfter - postgres) * 1_000) / answers,
  };
}

function rowsOf(what: string, ours: readonly Round[], rivals: readonly Round[], wanted: string): Row[] {
  const rate = (rounds: readonly Round[]) => median(rounds.map(({ perSecond }) => perSecond));
  const times = (rounds: readonly Round[]) => {
    const process = median(rounds.map(({ processMs }) => processMs));
    const postgres = median(rounds.map(({ postgresMs }) => postgresMs));
    return `${process.toFixed(3)} + ${postgres.toFixed(3)} ms`;
  };
  const ratio = `${(rate(ours) / rate(rivals)).toFixed(2)} (medians of ${ROUNDS})`;
  return [
    [what, `${rate(ours).toFixed(0)}/s`, `${rate(rivals).toFixed(0)}/s`, ratio, wanted],
    ['  processor time of one, process + PostgreSQL', times(ours), times(rivals), '', ''],
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
