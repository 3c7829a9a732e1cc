import { OF_TOKEN } from '../../../../shared/db/access/authority.ts';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { makeApiKey } from '../../../../shared/db/access/api-key.ts';
import { registerApiClient } from '../../../../shared/db/access/api-keys.ts';
import { openDatabase, type Database } from '../../../../shared/db/database.ts';
import { migrate } from '../../../../shared/db/migrate.ts';
import { freePort } from '../../../../shared/local/free-port.ts';
import { ensureDatabase, startPostgres } from '../../../../shared/local/postgres.ts';
import { startTestIssuer, type TestIssuer } from '../../../support/test-issuer.ts';
import type { HonestOrganization } from './honest-load.ts';
import type { HostileOrganization } from './attacks.ts';
import { seedModule, seedRule, type SeedSize } from '../machine-access/seed.ts';
import { startProcess, type StartedProcess } from '../start-process.ts';

const HONEST = 10;
const HOSTILE_KEYS = 4;
/** About 9 KB. */
const SMALL: SeedSize = { farms: 1, fields: 1, blocks: 18 };
/** About 50 MB, so that no buffer between the processes has room for it. */
const LARGE: SeedSize = { farms: 10, fields: 100, blocks: 99 };
/** A process that does not answer in this time is blocked. */
const METRICS_MS = 10_000;

const STRUCTURES_LOCK = 'select from structure_sets where organization_id = $1 for update';

/** A process of the service, and where its metrics are. */
export interface ServiceProcess {
  readonly name: string;
  readonly pid: number;
  readonly metricsUrl: string;
}

/** The service on its own parts, who calls it, and who attacks it. */
export interface AttackedService {
  readonly url: string;
  readonly processes: readonly ServiceProcess[];
  readonly postgresPid: number;
  readonly honest: readonly HonestOrganization[];
  readonly hostile: HostileOrganization;
  /** The process of the hostile organization. */
  readonly attacker: StartedProcess;
  /** Holds what a statement locks, until the returned function is called. */
  lock(statement: string, values: readonly string[]): Promise<() => Promise<void>>;
  /** Locks the row that every write of a farmer's structures waits for. */
  lockStructures(farmerId: string): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** Starts one API process and one worker on PostgreSQL and a directory, with default settings, and the attacker. */
export async function startAttackedService(folder: string): Promise<AttackedService> {
  const postgres = await startPostgres(path.join(folder, 'postgres'));
  const databaseUrl = await ensureDatabase(postgres.url, 'hostile');
  await migrate(databaseUrl);
  const issuer = await startTestIssuer();
  const environment = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: path.join(folder, 'data'),
    AUTH_ISSUER: issuer.url,
    LOG_LEVEL: 'fatal',
    // The default.
    MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION: '',
    PORT: '0',
  };
  const metricsPort = await freePort();
  const api = startProcess('api/main.js', environment);
  const worker = startProcess('worker/main.js', { ...environment, ADMIN_PORT: String(metricsPort) });
  const url = `http://127.0.0.1:${await api.started}`;
  await worker.started;
  const database = openDatabase({ url: databaseUrl, poolSize: 2 });
  const honest: HonestOrganization[] = [];
  for (let index = 0; index < HONEST; index += 1) honest.push(await makeHonest(database, issuer));
  const hostile = await makeHostile(database, issuer, url);
  await database.destroy();
  const attacker = await startAttacker();
  const lock = (statement: string, values: readonly string[]) => holdLock(databaseUrl, statement, values);
  return {
    ...{ url, honest, hostile, attacker, postgresPid: postgres.pid },
    processes: [
      { name: 'API', pid: api.pid, metricsUrl: `${url}/metrics` },
      { name: 'worker', pid: worker.pid, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` },
    ],
    lock,
    lockStructures: (farmerId) => lock(STRUCTURES_LOCK, [farmerId]),
    async stop() {
      await attacker.stop();
      for (const { pid } of [api, worker]) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      await postgres.stop();
      await issuer.stop();
    },
  };
}

/** On a machine of its own the attacker would take no processor time from the service: here it has the lowest priority. */
async function startAttacker(): Promise<StartedProcess> {
  const attacker = startProcess('test/lab/bench/hostile/client.js', {});
  await attacker.started;
  os.setPriority(attacker.pid, os.constants.priority.PRIORITY_LOW);
  return attacker;
}

async function makeHonest(database: Database, issuer: TestIssuer): Promise<HonestOrganization> {
  const module = await seedModule(database, SMALL);
  return { ...(await accountsOf(issuer, module)), ...module, ...(await seedRule(database, module)) };
}

async function makeHostile(
  database: Database,
  issuer: TestIssuer,
  url: string,
): Promise<HostileOrganization> {
  const module = await seedModule(database, LARGE);
  const { vendorId: organizationId, moduleId } = module;
  const keys = [module.key];
  while (keys.length < HOSTILE_KEYS) {
    const key = makeApiKey();
    const client = { clientName: null, expiresAt: new Date(Date.now() + 86_400_000) };
    const actor = {
      subject: 'bench',
      actorName: null,
      traceId: '0'.repeat(32),
      authority: OF_TOKEN,
      max: HOSTILE_KEYS,
    };
    await registerApiClient(database, { organizationId, moduleId }, client, key, actor);
    keys.push(key.secret);
  }
  return { url, keys, ...(await accountsOf(issuer, module)), moduleId };
}

/** Tokens of the vendor of a module and of the farmer who installed it. */
async function accountsOf(issuer: TestIssuer, module: { vendorId: string; organizationId: string }) {
  const { vendorId, organizationId: farmerId } = module;
  const tokenOf = (id: string) =>
    issuer.token({ subject: id, organizations: [{ id, roles: ['OrganizationAdmin'] }] });
  return { vendorId, farmerId, vendorToken: await tokenOf(vendorId), farmerToken: await tokenOf(farmerId) };
}

async function holdLock(
  databaseUrl: string,
  statement: string,
  values: readonly string[],
): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // Where the run fails, PostgreSQL stops before the lock is released.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  await client.query(statement, [...values]);
  return async () => {
    await client.query('commit');
    await client.end();
  };
}

/** The longest time for which the event loop of each process was blocked since the last call; null: no answer. */
export async function worstGaps({
  processes,
}: AttackedService): Promise<ReadonlyMap<ServiceProcess, number | null>> {
  const gaps = new Map<ServiceProcess, number | null>();
  for (const each of processes) {
    const text = await fetch(each.metricsUrl, { signal: AbortSignal.timeout(METRICS_MS) })
      .then((answer) => answer.text())
      .catch(() => '');
    const found = /^nodejs_eventloop_lag_max_seconds(?:\{.*\})? (?<seconds>\S+)$/m.exec(text);
    gaps.set(each, found === null ? null : Number(found.groups?.['seconds']) * 1_000);
  }
  return gaps;
}

/** Whether a process still runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
