import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import type { Database } from '../../../../shared/db/database.ts';
import type { SeededModule } from './seed.ts';
import type { ReadTarget } from './read-load.ts';
import { measureReads, readRows, type Row } from './read-rounds.ts';

const CLIENTS = 32;

/** Where the service is, and the server that it is compared with. */
export interface ComparedService {
  readonly port: number;
  readonly pid: number;
  readonly postgresPid: number;
  readonly databaseUrl: string;
  readonly database: Database;
}

/**
 * Short answers and 304s next to the rival's, which sends texts of the same length: with one module for all
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
  const rounds = await measureReads(service.postgresPid, [
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
    ...readRows(
      `structures of ${(Number(length) / 1_000).toFixed(1)} KB / rival${whose}`,
      reads,
      rivals,
      wantedReads,
    ),
    ...readRows(`304 / rival${whose}`, unchanged, rivals, wantedUnchanged),
  ];
}
