import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '../../shared/db/database.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { putOrganization } from '../../shared/db/access/organizations.ts';
import { freePort } from '../../shared/local/free-port.ts';
import { ensureDatabase } from '../../shared/local/postgres.ts';
import { secretIn } from '../support/log-watch.ts';
import { Forwarder } from '../support/hosts/forwarder.ts';
import { CENTRE } from '../support/hosts/own-network.ts';
import { VirtualHost } from '../support/hosts/virtual-host.ts';
import { makeBucket } from '../support/part-servers.ts';
import type { ServiceAddress } from '../support/service-reader.ts';
import type { StackSettings } from './fault.ts';
import { fakeClockEnvironment } from './fake-clock.ts';
import type { FaultParts } from './fault-parts.ts';
import { ServiceChild } from './service-child.ts';
import { mountSmallDisk } from './small-disk.ts';
import type { SmallDisk } from './small-disk.ts';
import { StorageProxy } from './storage-proxy.ts';
import { WireProxy } from './wire-proxy.ts';

const APIS = 2;
const WORKERS = 3;
/** The settings that connect to a part. */
const PART_SETTINGS = ['DATABASE_URL', 'REDIS_URL', 'S3_ENDPOINT'] as const;

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
  /** Of the API processes, then of the workers; empty where all run on this machine itself. */
  readonly hosts: readonly VirtualHost[];
  readonly address: ServiceAddress;
  readonly databaseUrl: string;
  /** Settings for another process to join; its directory of objects is as this process sees it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly storageProxy: StorageProxy | null;
  readonly disk: SmallDisk | null;
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
  const databaseUrl = await ensureDatabase(parts.postgres.url, name.replaceAll('-', '_').toLowerCase());
  await migrate(databaseUrl);
  const organizationId = await addVendor(databaseUrl);
  const disk = fault.isOnSmallDisk === true ? await mountSmallDisk(path.join(folder, 'disk')) : null;
  const storageProxy = parts.s3 === null ? null : await StorageProxy.open(parts.s3.port);
  const environment: Readonly<Record<string, string>> = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: disk?.folder ?? path.join(folder, 'data'),
    AUTH_ISSUER: parts.issuer.url,
    LOG_LEVEL: 'info',
    MAX_IMPORTS_PER_MINUTE: '10000000',
    WORKER_CONCURRENCY: '4',
    ...(fault.parts === 'Redis, S3' && (await redisAndS3(parts, storageProxy))),
    ...fault.settings,
  };
  const workerCount = fault.workers ?? WORKERS;
  const network = await openNetwork(fault, environment, APIS + workerCount);
  const run = (child: 'api' | 'worker', index: number, more: Readonly<Record<string, string>>) => {
    const host = network?.hosts[child === 'api' ? index : APIS + index];
    return new ServiceChild({
      name: child,
      logFile: path.join(folder, `${child}-${index}.log`),
      environment: {
        ...environment,
        ...more,
        ...network?.settings,
        ...(host !== undefined && { HOST: host.address }),
      },
      prefix: host?.prefix ?? disk?.prefix ?? [],
    });
  };
  const ports = await Promise.all(Array.from({ length: APIS }, () => freePort()));
  const apis = ports.map((port, index) => run('api', index, { PORT: String(port) }));
  const workers: FaultWorker[] = [];
  for (let index = 0; index < workerCount; index += 1) {
    const { wires, settings } =
      fault.watchesWorkers === true ? await watch(environment) : { wires: [], settings: {} };
    const clock = fault.fakesClock === true && index === 0 ? fakeClockEnvironment(clockFile) : {};
    workers.push({ child: run('worker', index, { ...settings, ...clock }), wires });
  }
  await Promise.all([...apis, ...workers.map(({ child }) => child)].map((child) => child.start()));
  const organizations = [{ id: organizationId, roles: ['OrganizationAdmin'] }];
  return {
    ...{ parts, apis, workers, databaseUrl, storageProxy, disk, clockFile },
    hosts: network?.hosts ?? [],
    environment: { ...environment, DATA_DIR: disk?.seenFromHere ?? environment['DATA_DIR'] ?? '' },
    address: {
      urls: ports.map((port, index) => `http://${network?.hosts[index]?.address ?? '127.0.0.1'}:${port}`),
      organizationId,
      token: await parts.issuer.token({ organizations, expiresIn: 86_400 }),
    },
    async secretsInLogs() {
      const logs = (await readdir(folder)).filter((name) => name.endsWith('.log'));
      const texts = await Promise.all(logs.map((name) => readFile(path.join(folder, name), 'utf8')));
      return texts.flatMap((text) => secretIn(text) ?? []);
    },
    async stop() {
      await Promise.all([...apis, ...workers.map(({ child }) => child)].map((child) => child.stop()));
      for (const { wires } of workers) for (const wire of wires) wire.close();
      storageProxy?.close();
      await network?.stop();
      await disk?.stop();
      await rm(path.join(folder, 'data'), { recursive: true, force: true });
    },
  };
}

async function redisAndS3({ redis }: FaultParts, storage: StorageProxy | null) {
  if (redis === null || storage === null) throw new Error('the machine has no Redis or no S3 server');
  await redis.empty();
  return {
    REDIS_URL: redis.url,
    ...(await makeBucket(`http://127.0.0.1:${storage.port}`)),
  };
}

async function addVendor(databaseUrl: string): Promise<string> {
  const id = randomUUID();
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  await putOrganization(database, { id, tenantId: randomUUID(), kind: 'vendor', name: 'Faults' });
  await database.destroy();
  return id;
}

/** Makes the hosts and connects them to the parts; null where none are wanted. */
async function openNetwork(
  { isOnHosts = false }: StackSettings,
  environment: Readonly<Record<string, string>>,
  count: number,
) {
  if (!isOnHosts) return null;
  const hosts = await Promise.all(Array.from({ length: count }, (_, index) => VirtualHost.start(index)));
  const settings: Record<string, string> = {};
  const forwarders: Forwarder[] = [];
  for (const name of PART_SETTINGS) {
    const address = new URL(environment[name] ?? '');
    forwarders.push(await Forwarder.open({ port: Number(address.port) }));
    address.hostname = CENTRE;
    settings[name] = name === 'S3_ENDPOINT' ? address.origin : address.href;
  }
  return {
    hosts,
    settings,
    async stop() {
      for (const forwarder of forwarders) forwarder.close();
      await Promise.all(hosts.map((host) => host.stop()));
    },
  };
}

/** Routes a worker's connections through proxies of its own. */
async function watch(environment: Readonly<Record<string, string>>) {
  const database = new URL(environment['DATABASE_URL'] ?? '');
  const storage = new URL(environment['S3_ENDPOINT'] ?? '');
  const wires = await Promise.all([database, storage].map((address) => WireProxy.open(Number(address.port))));
  [database, storage].forEach((address, index) => (address.port = String(wires[index]?.port ?? 0)));
  return { wires, settings: { DATABASE_URL: database.href, S3_ENDPOINT: storage.origin } };
}
