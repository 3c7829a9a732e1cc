import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '../../../../shared/db/database.ts';
import { migrate, MIGRATIONS } from '../../../../shared/db/migrate.ts';
import { putOrganization } from '../../../../shared/db/access/organizations.ts';
import { freePort } from '../../../../shared/local/free-port.ts';
import { ensureDatabase } from '../../../../shared/local/postgres.ts';
import { LATER_MIGRATIONS } from '../../../support/example-migration.ts';
import { secretIn } from '../../../support/log-watch.ts';
import type { VirtualHost } from '../../../support/hosts/virtual-host.ts';
import { makeBucket } from '../../../support/part-servers.ts';
import type { ServiceAddress } from '../../../support/service-reader.ts';
import type { StackSettings } from '../fault.ts';
import { fakeClockEnvironment } from './fake-clock.ts';
import type { FaultParts } from './fault-parts.ts';
import { openNetwork, watch } from './fault-network.ts';
import { openOwnParts, type OwnParts } from './own-parts.ts';
import { DIST, ServiceChild } from './service-child.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { StorageProxy } from './storage-proxy.ts';
import type { WireProxy } from './wire-proxy.ts';
import { FIXTURE_ACTOR } from '../../../support/fixture-actor.ts';

const APIS = 2;
const WORKERS = 3;

/** A worker, and the proxies that watch its connections. */
export interface FaultWorker {
  readonly child: ServiceChild;
  /** Null where they are not watched. */
  readonly wires: readonly WireProxy[];
}

/** The service under one fault: two API processes and some workers. */
export interface FaultStack {
  readonly parts: FaultParts;
  readonly apis: readonly ServiceChild[];
  readonly workers: readonly FaultWorker[];
  /** The hosts of the API processes, then of the workers; empty if all run on this machine itself. */
  readonly hosts: readonly VirtualHost[];
  readonly address: ServiceAddress;
  readonly databaseUrl: string;
  /** Settings for another process to join; its directory of objects is as this process sees it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly storageProxy: StorageProxy | null;
  readonly disk: SmallDisk | null;
  readonly own: OwnParts;
  /** The file that the first worker's clock is read from. */
  readonly clockFile: string;
  /** Secrets found in the logs of the processes; at most one of each process. */
  secretsInLogs(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Starts the service on its own database and storage. */
export async function startFaultStack(parts: FaultParts, fault: StackSettings): Promise<FaultStack> {
  const name = fault.name.replaceAll(/\W+/g, '-');
  const folder = path.join(parts.folder, name);
  await mkdir(folder);
  const clockFile = path.join(folder, 'clock');
  await writeFile(clockFile, '+0');
  const own = await openOwnParts(parts, fault, folder);
  const databaseUrl = await ensureDatabase(own.postgresUrl, name.replaceAll('-', '_').toLowerCase());
  await migrate(databaseUrl, fault.previous === undefined ? MIGRATIONS : LATER_MIGRATIONS);
  const organizationId = await addVendor(databaseUrl);
  const disk = fault.isOnSmallDisk === true ? await mountSmallDisk(path.join(folder, 'disk')) : null;
  const storageProxy = parts.s3 === null ? null : await StorageProxy.open(parts.s3.port);
  const environment: Readonly<Record<string, string>> = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: disk?.folder ?? path.join(folder, 'data'),
    AUTH_ISSUER: parts.issuer.url,
    LOG_LEVEL: 'info',
    MAX_IMPORTS_PER_MINUTE: '10000000',
    MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION: '1000000',
    WORKER_CONCURRENCY: '4',
    OUTBOUND_ALLOW_LOOPBACK: '1',
    MAX_REQUESTS_PER_MINUTE_PER_KEY: '0',
    ...(fault.parts === 'Redis, S3' && (await redisAndS3(parts, own, storageProxy))),
    ...fault.settings,
  };
  const network = await openNetwork(fault, environment, APIS + (fault.workers ?? WORKERS));
  const processes = await startProcesses({
    parts,
    fault,
    folder,
    environment,
    own,
    disk,
    network,
    clockFile,
  });
  const { apis, workers, urls } = processes;
  const organizations = [{ id: organizationId, roles: ['OrganizationAdmin'] }];
  return {
    ...{ parts, apis, workers, databaseUrl, storageProxy, disk, own, clockFile },
    hosts: network?.hosts ?? [],
    environment: { ...environment, DATA_DIR: disk?.seenFromHere ?? environment['DATA_DIR'] ?? '' },
    address: { urls, organizationId, token: await parts.issuer.token({ organizations, expiresIn: 86_400 }) },
    secretsInLogs: () => secretsIn(folder),
    async stop() {
      await Promise.all([...apis, ...workers.map(({ child }) => child)].map((child) => child.stop()));
      for (const { wires } of workers) for (const wire of wires) wire.close();
      storageProxy?.close();
      await network?.stop();
      await disk?.stop();
      await own.stop();
      await rm(path.join(folder, 'data'), { recursive: true, force: true });
    },
  };
}

interface StackParts {
  readonly parts: FaultParts;
  readonly fault: StackSettings;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly own: OwnParts;
  readonly disk: SmallDisk | null;
  readonly network: Awaited<ReturnType<typeof openNetwork>>;
  readonly clockFile: string;
}

/** Starts the processes of the service; resolves when all serve requests. */
async function startProcesses(stack: StackParts) {
  const { parts, fault, folder, environment, own, disk, network, clockFile } = stack;
  const previousDist = fault.previous === undefined ? DIST : await parts.previousDist();
  const run = (child: 'api' | 'worker', index: number, more: Readonly<Record<string, string>>) => {
    const host = network?.hosts[child === 'api' ? index : APIS + index];
    return new ServiceChild({
      name: child,
      logFile: path.join(folder, `${child}-${index}.log`),
      dist: isPrevious(fault, child, index) ? previousDist : DIST,
      environment: {
        ...environment,
        ...more,
        ...network?.settings,
        ...own.slowDisk?.environment,
        ...(host !== undefined && { HOST: host.address }),
      },
      prefix: host?.prefix ?? disk?.prefix ?? [],
    });
  };
  const ports = await Promise.all(Array.from({ length: APIS }, () => freePort()));
  const apis = ports.map((port, index) => run('api', index, { PORT: String(port) }));
  const workers: FaultWorker[] = [];
  for (let index = 0; index < (fault.workers ?? WORKERS); index += 1) {
    const { wires, settings } =
      fault.watchesWorkers === true ? await watch(environment) : { wires: [], settings: {} };
    const clock = fault.fakesClock === true && index === 0 ? fakeClockEnvironment(clockFile) : {};
    workers.push({ child: run('worker', index, { ...settings, ...clock }), wires });
  }
  await Promise.all([...apis, ...workers.map(({ child }) => child)].map((child) => child.start()));
  const urls = ports.map((port, index) => `http://${network?.hosts[index]?.address ?? '127.0.0.1'}:${port}`);
  return { apis, workers, urls };
}

/** One worker is of this version beside the previous ones, so that they take jobs over from each other. */
function isPrevious({ previous, workers = WORKERS }: StackSettings, child: 'api' | 'worker', index: number) {
  if (previous === undefined || previous !== `${child}s`) return false;
  return child === 'api' || index < workers - 1;
}

async function secretsIn(folder: string): Promise<readonly string[]> {
  const logs = (await readdir(folder)).filter((name) => name.endsWith('.log'));
  const texts = await Promise.all(logs.map((name) => readFile(path.join(folder, name), 'utf8')));
  return texts.flatMap((text) => secretIn(text) ?? []);
}

async function redisAndS3({ redis }: FaultParts, { redisUrl }: OwnParts, storage: StorageProxy | null) {
  if (redis === null || redisUrl === null || storage === null)
    throw new Error('the machine has no Redis or no S3 server');
  await redis.empty();
  return {
    REDIS_URL: redisUrl,
    ...(await makeBucket(`http://127.0.0.1:${storage.port}`)),
  };
}

async function addVendor(databaseUrl: string): Promise<string> {
  const id = randomUUID();
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  await putOrganization(
    database,
    { id, tenantId: randomUUID(), kind: 'vendor', name: 'Faults' },
    FIXTURE_ACTOR,
  );
  await database.destroy();
  return id;
}
