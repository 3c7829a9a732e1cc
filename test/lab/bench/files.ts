import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { loadCatalogue } from '../../../shared/catalogue/catalogue.ts';
import { migrate } from '../../../shared/db/migrate.ts';
import { freePort } from '../../../shared/local/free-port.ts';
import { ensureDatabase, startPostgres } from '../../../shared/local/postgres.ts';
import { samplePackage } from '../../support/sample-package.ts';
import { startService, uploadBody, type BenchService } from './import/service.ts';
import { printTable } from './measure.ts';
import type { ReadTarget } from './machine-access/read-load.ts';
import { measureReads, readRows, type ReadSide } from './machine-access/read-rounds.ts';
import { startProcess } from './start-process.ts';

const CLIENTS = 32;
const FILE = 'PackageArtifact/build/main.js';
const GZIP = { 'Accept-Encoding': 'gzip' };
const PLAIN = { 'Accept-Encoding': 'identity' };

/** Files of modules and of their applications next to an Express server that sends a ready buffer: gzip, inflated, 304, and a file per client. */
export async function benchFiles(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-files-'));
  // PostgreSQL may run as another user, who needs access.
  await chmod(folder, 0o755);
  const postgres = await startPostgres(path.join(folder, 'postgres'));
  const databaseUrl = await ensureDatabase(postgres.url, 'service');
  await migrate(databaseUrl);
  const applicationsPort = await freePort();
  const settings = { DATA_DIR: path.join(folder, 'data'), APPS_PORT: String(applicationsPort) };
  const service = await startService({ databaseUrl, settings });
  try {
    const files: ReadTarget[] = [];
    for (let client = 0; client < CLIENTS; client += 1) files.push(await importFile(service));
    const applications = files.map(({ path }) => applicationFile(applicationsPort, path));
    await compare(service, { files, applications }, postgres.pid);
  } finally {
    await service.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A text of 27 KB, which deflate reduces to 20 KB. */
const fileContent = () => randomBytes(20_000).toString('base64');

/** Imports a module with a file that no other module has, and returns where it is read. */
async function importFile({ importOne, target: { url, token } }: BenchService): Promise<ReadTarget> {
  const moduleId = randomUUID();
  const sample = { descriptor: { moduleId }, files: { [FILE]: fileContent() } };
  await importOne(uploadBody(samplePackage(loadCatalogue(), sample)));
  const { port } = new URL(url);
  return {
    port: Number(port),
    path: new URL(`modules/${moduleId}/files/${FILE}`, url).pathname,
    headers: { Authorization: `Bearer ${token}` },
  };
}

/** The address of the same file of an application, which needs no credential. */
function applicationFile(port: number, path: string): ReadTarget {
  const [, moduleId = '', file = ''] =
    /modules\/([^/]+)\/files\/PackageArtifact\/build\/(.+)$/.exec(path) ?? [];
  return { port, path: `/1/${file}`, headers: { Host: `${moduleId}.modules.localhost` } };
}

interface Files {
  readonly files: readonly ReadTarget[];
  readonly applications: readonly ReadTarget[];
}

async function compare(
  { apiPids: [apiPid = 0] }: BenchService,
  { files, applications }: Files,
  postgresPid: number,
): Promise<void> {
  const gzip = gzipSync(fileContent());
  const rival = startProcess('test/lab/bench/file-rival.js', { GZIP_BASE64: gzip.toString('base64') });
  try {
    const ready = { port: await rival.started, path: '/file', headers: {} };
    const one = files.slice(0, 1);
    const known = { ...GZIP, 'If-None-Match': await gzipTag(one) };
    const sides: readonly ReadSide[] = [
      { targets: clients([ready], GZIP), pid: rival.pid, status: 200 },
      { targets: clients(one, GZIP), pid: apiPid, status: 200 },
      { targets: clients(one, PLAIN), pid: apiPid, status: 200 },
      { targets: clients(one, known), pid: apiPid, status: 304 },
      { targets: clients(files, GZIP), pid: apiPid, status: 200 },
      { targets: clients(applications.slice(0, 1), GZIP), pid: apiPid, status: 200 },
      { targets: clients(applications, GZIP), pid: apiPid, status: 200 },
    ];
    const [
      rivals = [],
      packed = [],
      inflated = [],
      unchanged = [],
      each = [],
      application = [],
      eachOne = [],
    ] = await measureReads(postgresPid, sides);
    printTable([
      ['what', 'measured', 'rival', 'result', 'wanted'],
      ...readRows(`file of ${(gzip.length / 1_000).toFixed(1)} KB as gzip / rival`, packed, rivals, '0.6'),
      ...readRows('the same inflated / rival', inflated, rivals, ''),
      ...readRows('304 / rival', unchanged, rivals, ''),
      ...readRows(`as gzip / rival, ${files.length} modules`, each, rivals, ''),
      ...readRows('of an application as gzip / rival', application, rivals, '0.6'),
      ...readRows(`of an application as gzip / rival, ${files.length} modules`, eachOne, rivals, ''),
    ]);
  } finally {
    await rival.stop();
  }
}

/** The file that each client reads, and the headers. */
function clients(files: readonly ReadTarget[], headers: ReadTarget['headers']): readonly ReadTarget[] {
  const targets = files.map((file) => ({ ...file, headers: { ...file.headers, ...headers } }));
  return Array.from({ length: CLIENTS / targets.length }, () => targets).flat();
}

async function gzipTag(files: readonly ReadTarget[]): Promise<string> {
  const [{ port, path, headers } = { port: 0, path: '', headers: {} }] = files;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'HEAD',
    headers: { ...headers, ...GZIP },
  });
  return answer.headers.get('etag') ?? '';
}
