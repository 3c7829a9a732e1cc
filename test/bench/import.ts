import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { loadCatalogue } from '../../shared/catalogue/catalogue.ts';
import { openDatabase } from '../../shared/db/database.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { putOrganization } from '../../shared/db/organizations.ts';
import { ensureDatabase, startPostgres } from '../../shared/local/postgres.ts';
import { samplePackage } from '../support/sample-package.ts';
import { startTestIssuer } from '../support/test-issuer.ts';
import { openFloor } from './import-floor.ts';
import { measure, printTable } from './measure.ts';
import type { Measurement } from './measure.ts';

/** Clients at once, and imports measured with so many. */
const ROUNDS = [
  { clients: 1, imports: 150 },
  { clients: 8, imports: 500 },
  { clients: 32, imports: 1_000 },
] as const;
const WARM_UP = 100;
/** Made before anything is measured, on both sides: making a package is the client's work. */
const PREPARED_PACKAGES = WARM_UP + ROUNDS.reduce((sum, { imports }) => sum + imports, 0);

/**
 * Imports per second of the service (API and worker as processes of their own, clients in this one)
 * beside its floor on the same parts in the same run: as many objects with the same bytes and syncs, one
 * queue round trip and one transaction of the same rows, in one process with no service around them.
 */
export async function benchImport(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-import-'));
  const postgres = await startPostgres(path.join(folder, 'postgres'), { fsync: true });
  const serviceUrl = await ensureDatabase(postgres.url, 'service');
  const floorUrl = await ensureDatabase(postgres.url, 'floor');
  await migrate(serviceUrl);
  await migrate(floorUrl);
  const service = await startService(serviceUrl, path.join(folder, 'service'));
  const floor = await openFloor(floorUrl, path.join(folder, 'floor'));
  try {
    await measure(WARM_UP, 8, service.importOne);
    await measure(WARM_UP, 8, floor.importOne);
    const rows = [['clients', 'imports/s', 'p50 ms', 'p99 ms', 'floor/s', 'p50 ms', 'p99 ms', 'ratio']];
    for (const { clients, imports } of ROUNDS) {
      const ours = await measure(imports, clients, service.importOne);
      const lowest = await measure(imports, clients, floor.importOne);
      rows.push([
        String(clients),
        ...cells(ours),
        ...cells(lowest),
        (ours.perSecond / lowest.perSecond).toFixed(2),
      ]);
    }
    printTable(rows);
  } finally {
    await floor.close();
    await service.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function cells({ perSecond, p50Ms, p99Ms }: Measurement): string[] {
  return [perSecond.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1)];
}

/** About 20 KB in 10 files, unlike every other package. */
export function benchPackage(): Buffer {
  const text = (bytes: number) => randomBytes(bytes * 0.75).toString('base64');
  return samplePackage(loadCatalogue(), {
    files: {
      'PackageArtifact/build/index.html': `<!doctype html><title>${randomUUID()}</title>`,
      'PackageArtifact/build/assets/index-4f2a91c7.js': text(9_000),
      'PackageArtifact/build/assets/index-18c0ffee.css': text(4_000),
      'PackageArtifact/build/remoteEntry.js': text(3_000),
      'ModuleToS/terms.md': text(1_000),
      'ModulePrivacy/privacy.md': text(1_000),
    },
  });
}

interface BenchService {
  importOne(index: number): Promise<void>;
  stop(): Promise<void>;
}

async function startService(databaseUrl: string, dataDir: string): Promise<BenchService> {
  const issuer = await startTestIssuer();
  const organizationId = randomUUID();
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  await putOrganization(database, {
    id: organizationId,
    tenantId: randomUUID(),
    kind: 'vendor',
    name: 'Bench',
  });
  await database.destroy();
  const environment = {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    AUTH_ISSUER: issuer.url,
    LOG_LEVEL: 'warn',
    MAX_IMPORTS_PER_MINUTE: '10000000',
  };
  const api = startProcess('api/main.js', environment);
  const worker = startProcess('worker/main.js', environment);
  const port = await api.started;
  await worker.started;
  const token = await issuer.token({ organizations: [{ id: organizationId, roles: ['OrganizationAdmin'] }] });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const target = `http://127.0.0.1:${port}/api/v8.0/${organizationId}/ImportModuleAsync`;
  const bodies = Array.from({ length: PREPARED_PACKAGES }, uploadBody);
  return {
    importOne: () => upload(target, token, agent, bodies.pop() ?? uploadBody()),
    async stop() {
      agent.destroy();
      await Promise.all([api.stop(), worker.stop()]);
      await issuer.stop();
    },
  };
}

const HEAD =
  '--bench\r\nContent-Disposition: form-data; name="file"; filename="package.zip"\r\nContent-Type: application/zip\r\n\r\n';
const TAIL = '\r\n--bench--\r\n';

function uploadBody(): Buffer {
  return Buffer.concat([Buffer.from(HEAD), benchPackage(), Buffer.from(TAIL)]);
}

async function upload(target: string, token: string, agent: http.Agent, body: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const request = http.request(target, {
      method: 'POST',
      agent,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'multipart/form-data; boundary=bench',
        'Content-Length': body.length,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`import answered ${response.statusCode ?? 0}`));
      });
    });
    request.end(body);
  });
}

interface StartedProcess {
  readonly started: Promise<number>;
  stop(): Promise<void>;
}

function startProcess(script: string, environment: Record<string, string>): StartedProcess {
  const file = path.resolve(import.meta.dirname, '../..', script);
  const execArgv =
    process.env['BENCH_PROFILE'] === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${process.env['BENCH_PROFILE']}`];
  const child: ChildProcess = fork(file, {
    env: { ...process.env, ...environment },
    execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  const started = new Promise<number>((resolve, reject) => {
    child.once('message', (message: { listening?: number }) => {
      resolve(message.listening ?? 0);
    });
    child.once('exit', () => {
      reject(new Error(`${script} ended before it was up`));
    });
  });
  return {
    started,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
