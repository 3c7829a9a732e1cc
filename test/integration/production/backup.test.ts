import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { loadConfig } from '../../../shared/config/config.ts';
import { migrate } from '../../../shared/db/migrate.ts';
import { adoptDeployments } from '../../../shared/db/deployments.ts';
import { ARCHIVES, reconcileArchives } from '../../../shared/db/imports/archives.ts';
import type { ArchiveDifferences } from '../../../shared/db/imports/archives.ts';
import { ensureDatabase, startPostgres } from '../../../shared/local/postgres.ts';
import type { RunningPostgres } from '../../../shared/local/postgres.ts';
import { openStorage } from '../../../shared/storage/open-storage.ts';
import type { Storage } from '../../../shared/storage/storage.ts';
import { collectGarbage } from '../../../worker/collect-garbage.ts';
import { archiveBatches } from '../../../worker/archive-batches.ts';
import { samplePackage } from '../../support/sample-package.ts';
import { makeBucket } from '../../support/part-servers.ts';
import { startTestApp } from '../../support/test-app.ts';
import type { TestApp, TestOrganization } from '../../support/test-app.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../../docs/operators.md'), 'utf8');
const WAITING = 30;
const dump = path.join(inject('scratch'), 'modules.dump');
let server: RunningPostgres;
let settings: { live: Record<string, string>; restored: Record<string, string> };

beforeAll(async () => {
  const folder = path.join(inject('scratch'), `backup-${randomUUID()}`);
  server = await startPostgres(folder, { fsync: false, programs: inject('postgresFolder') });
  const endpoint = inject('s3Endpoint') ?? '';
  const settingsOf = async (name: string) => ({
    DATABASE_URL: await ensureDatabase(server.url, name),
    // So that imports wait.
    WORKER_CONCURRENCY: '1',
    // So that the next collection removes the archive of a rejected package.
    UPLOAD_RETENTION_DAYS: '0',
    ...(await makeBucket(endpoint)),
  });
  settings = { live: await settingsOf('live'), restored: await settingsOf('restored') };
  await migrate(settings.live['DATABASE_URL'] ?? '');
});

afterAll(() => server.stop());

/** Runs the line of the page that starts with this program, with the program and file of the test. */
function runLine(program: string, databaseUrl: string): void {
  const line = PAGE.split('\n').find((each) => each.trim().startsWith(`${program} `)) ?? '';
  expect(line).toContain('modules.dump');
  const env = {
    ...process.env,
    PATH: `${inject('postgresFolder')}:${process.env['PATH'] ?? ''}`,
    DATABASE_URL: databaseUrl,
  };
  execFileSync('sh', ['-ec', line.replace('modules.dump', dump)], { env });
}

function packageNumber(app: TestApp, number: number): Buffer {
  const files = { 'PackageArtifact/build/number.txt': `package ${number} of ${randomUUID()}` };
  return samplePackage(app.api.catalogue, { files });
}

async function copyObjects(from: Storage, to: Storage): Promise<void> {
  for await (const { key } of from.list(ARCHIVES)) {
    const bytes = await bytesOf(from, key).catch(() => null);
    // Collected after it was listed.
    if (bytes !== null) await to.put(key, bytes);
  }
}

async function bytesOf(storage: Storage, key: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of await storage.stream(key)) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

async function countImports(app: TestApp, statuses: readonly string[]): Promise<number> {
  const { rows } = await app.api.database.raw<{ rows: { count: number }[] }>(
    'select count(*)::int as count from imports where status = any(?)',
    [[...statuses]],
  );
  return rows[0]?.count ?? 0;
}

/** A rejected package, whose archive is collected between the dump and the copy. */
async function rejectOne(app: TestApp, vendor: TestOrganization): Promise<void> {
  expect((await app.importPackage(vendor, Buffer.from('no package'))).status).toBe(400);
}

/** Imports one package after another until it is stopped; returns how many succeeded. */
function keepImporting(app: TestApp, vendor: TestOrganization): () => Promise<number> {
  let isDone = false;
  const run = async () => {
    let succeeded = 0;
    for (let number = 1_000; !isDone; number += 1) {
      const { status } = await app.importPackage(vendor, packageNumber(app, number));
      if (status === 200) succeeded += 1;
    }
    return succeeded;
  };
  const running = run();
  return () => {
    isDone = true;
    return running;
  };
}

/** Makes a backup as the page describes, while the service imports and collects. */
async function backUp(app: TestApp, backup: Storage): Promise<void> {
  const vendor = await app.organization();
  for (let number = 0; number < 5; number += 1) await app.importPackage(vendor, packageNumber(app, number));
  await rejectOne(app, vendor);
  const stopImporting = keepImporting(app, vendor);
  const headers = { Prefer: 'respond-async' };
  for (let number = 10; number < 10 + WAITING; number += 1) {
    const answer = await app.importPackage(vendor, packageNumber(app, number), { headers });
    expect(answer.status).toBe(202);
  }
  runLine('pg_dump', settings.live['DATABASE_URL'] ?? '');
  await collectGarbage(app.api, 0);
  await app.importPackage(vendor, packageNumber(app, 100));
  await copyObjects(app.api.storage, backup);
  expect(await stopImporting()).toBeGreaterThan(0);
}

test('a backup during imports restores every module with every byte, and waiting imports continue', async () => {
  const backup = await openStorage(loadConfig(settings.restored));
  const live = await startTestApp({ settings: settings.live });
  await backUp(live, backup).finally(() => live.stop());

  runLine('pg_restore', settings.restored['DATABASE_URL'] ?? '');
  const app = await startTestApp({ settings: settings.restored, worker: false });
  try {
    expect(await countImports(app, ['queued', 'running'])).toBeGreaterThan(0);
    const differences = await reconcile(app);
    expect(differences.missing).toEqual([]);
    expect(differences.forgotten).toBeGreaterThan(0);
    expect(differences.strays).toBeGreaterThan(0);

    await app.startWorker();
    await expect.poll(() => countImports(app, ['queued', 'running']), { timeout: 120_000 }).toBe(0);
    expect(await countImports(app, ['failed'])).toBe(0);
    // The one whose archive was collected between the dump and the copy.
    expect(await countImports(app, ['rejected'])).toBe(1);
    await expectEveryFile(app);
  } finally {
    await app.stop();
    backup.close();
  }
}, 300_000);

/** As `npm run reconcile` does. */
async function reconcile({ api: { database, storage } }: TestApp): Promise<ArchiveDifferences> {
  return reconcileArchives(database, archiveBatches(storage, await adoptDeployments(database)));
}

async function expectEveryFile(app: TestApp): Promise<void> {
  const { rows } = await app.api.database.raw<{
    rows: Record<'organizationId' | 'moduleId' | 'path' | 'sha256', string>[];
  }>(
    `select r.organization_id, f.module_id, f.path, encode(f.sha256, 'hex') as sha256
     from module_files f join module_revisions r using (module_id, revision)`,
  );
  expect(new Set(rows.map(({ moduleId }) => moduleId)).size).toBeGreaterThanOrEqual(5 + WAITING);
  for (const { organizationId, moduleId, path: file, sha256 } of rows) {
    const token = await app.bearer({
      organizations: [{ id: organizationId, roles: ['OrganizationMember'] }],
    });
    const address = `${app.url}/api/v8.0/${organizationId}/modules/${moduleId}/files/${file}`;
    const answer = await fetch(address, { headers: { Authorization: token } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex'), address).toBe(sha256);
  }
}

test('an archive of a revision that is missing in the copy is reported', async () => {
  const app = await startTestApp();
  try {
    await app.importPackage(await app.organization(), packageNumber(app, 1));
    const lost: string[] = [];
    for await (const { key } of app.api.storage.list(ARCHIVES)) lost.push(key);
    const [key = ''] = lost;
    await app.api.storage.remove(key);
    expect((await reconcile(app)).missing).toEqual([key]);
  } finally {
    await app.stop();
  }
});
