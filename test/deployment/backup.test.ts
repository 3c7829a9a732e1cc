import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrate } from '../../shared/db/migrate.ts';
import { adoptDeployments } from '../../shared/db/deployments.ts';
import { ARCHIVES, reconcileArchives } from '../../shared/db/imports/archives.ts';
import { ensureDatabase } from '../../shared/local/postgres.ts';
import { collectGarbage, archiveBatches } from '../../worker/maintenance/collect-garbage.ts';
import { findProgram } from '../support/find-program.ts';
import { holdLock } from '../support/held-lock.ts';
import { samplePackage } from '../support/sample-package.ts';
import { makeBucket } from '../support/part-servers.ts';
import { compileService } from '../support/service-process.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { startBackupSite, type BackupSite } from './support/backup-site.ts';

const BACK_UP = 'docs/deployment/back-up';
const RESTORE = 'docs/deployment/restore';
const WAITING = 30;
const folder = path.join(inject('scratch'), `backup-${randomUUID()}`);
/** `rclone lsf` waits until this file is there. */
const gate = path.join(folder, 'gate');
const gateReached = path.join(folder, 'gate-reached');
let site: BackupSite;
let settings: { live: Record<string, string>; restored: Record<string, string> };

beforeAll(async () => {
  compileService();
  site = await startBackupSite(folder);
  const endpoint = inject('s3Endpoint') ?? '';
  const encryptionKeys = `k1:${randomBytes(32).toString('base64')}`;
  const settingsOf = async (name: string) => ({
    DATABASE_URL: await ensureDatabase(site.postgres.url, name),
    ENCRYPTION_KEYS: encryptionKeys,
    // So that imports wait.
    WORKER_CONCURRENCY: '1',
    // So that the next collection removes the archive of a rejected package.
    UPLOAD_RETENTION_DAYS: '0',
    ...(await makeBucket(endpoint)),
  });
  settings = { live: await settingsOf('live'), restored: await settingsOf('restored') };
  await migrate(settings.live['DATABASE_URL'] ?? '');
  await writeGatedRclone();
});

afterAll(() => site.stop());

/** An rclone that waits for the gate before it lists the objects. */
async function writeGatedRclone(): Promise<void> {
  const programs = path.join(folder, 'programs');
  await mkdir(programs);
  const wait = `if [ "$1" = lsf ]; then touch '${gateReached}'; while [ ! -e '${gate}' ]; do sleep 0.05; done; fi`;
  const script = `#!/bin/sh\n${wait}\nexec '${findProgram('rclone') ?? ''}' "$@"\n`;
  await writeFile(path.join(programs, 'rclone'), script, { mode: 0o755 });
}

function packageNumber(app: TestApp, number: number): Buffer {
  const files = { 'PackageArtifact/build/number.txt': `package ${number} of ${randomUUID()}` };
  return samplePackage(app.api.catalogue, { files });
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

/** Makes a backup while the service imports and collects; returns its name. */
async function backUp(app: TestApp): Promise<string> {
  const vendor = await app.organization();
  for (let number = 0; number < 5; number += 1) await app.importPackage(vendor, packageNumber(app, number));
  await rejectOne(app, vendor);
  // No import can end before the dump: those that wait are in it, however fast the worker is.
  const lock = await holdLock(app, 'lock table module_revisions in share mode', []);
  const stopImporting = keepImporting(app, vendor);
  const headers = { Prefer: 'respond-async' };
  for (let number = 10; number < 10 + WAITING; number += 1) {
    const answer = await app.importPackage(vendor, packageNumber(app, number), { headers });
    expect(answer.status).toBe(202);
  }
  const running = site.run([BACK_UP], settings.live);
  running.catch(() => undefined);
  await expect.poll(() => existsSync(gateReached)).toBe(true);
  await lock.release();
  await collectGarbage(app.api, 0);
  await app.importPackage(vendor, packageNumber(app, 100));
  await writeFile(gate, '');
  const name = nameOf(await running);
  expect(await stopImporting()).toBeGreaterThan(0);
  return name;
}

function nameOf(output: string): string {
  return /^backup (\S+)$/m.exec(output)?.[1] ?? '';
}

test('a backup during imports, with a key that only writes, restores every module with every byte, and waiting imports continue', async () => {
  const live = await startTestApp({ settings: settings.live });
  const name = await backUp(live).finally(() => live.stop());
  const time = new Date((await site.lastBackup()) * 1_000).toISOString();
  expect(name).toBe(time.replace(/:|\.000/g, ''));
  const reads = site.run(['rclone', 'lsf', 'backup:dumps'], {
    RCLONE_RETRIES: '1',
    RCLONE_LOW_LEVEL_RETRIES: '1',
  });
  await expect(reads).rejects.toThrow('AccessDenied');

  const toRestored = { ...settings.restored, RCLONE_CONFIG: site.rclone.restore };
  expect(await site.run([RESTORE, name], toRestored)).toMatch(`restored ${name} in `);
  const reconciled = await site.run(
    [process.execPath, 'dist/worker/reconcile-command.js'],
    settings.restored,
  );
  const counts = JSON.parse(reconciled.trim().split('\n').at(-1) ?? '') as Record<string, number>;
  expect(counts).toMatchObject({ lost: 0 });
  expect(counts['forgotten']).toBeGreaterThan(0);
  expect(counts['strays']).toBeGreaterThan(0);
  // An empty queue: this app has a Redis database of its own.
  const app = await startTestApp({ settings: settings.restored, worker: false });
  try {
    expect(await countImports(app, ['queued', 'running'])).toBeGreaterThan(0);
    await app.startWorker();
    await expect.poll(() => countImports(app, ['queued', 'running']), { timeout: 120_000 }).toBe(0);
    expect(await countImports(app, ['failed'])).toBe(0);
    // The one whose archive was collected between the dump and the copy.
    expect(await countImports(app, ['rejected'])).toBe(1);
    await expectEveryFile(app);
  } finally {
    await app.stop();
  }

  // Neither a database nor a bucket that is in use is overwritten.
  await expect(site.run([RESTORE, name], toRestored)).rejects.toThrow(
    /The database has \d+ tables\. Restore into an empty one\./,
  );
  const emptyDatabase = { ...toRestored, DATABASE_URL: await ensureDatabase(site.postgres.url, 'empty') };
  await expect(site.run([RESTORE, name], emptyDatabase)).rejects.toThrow(
    /The bucket \S+ has objects\. Restore into an empty one\./,
  );
}, 300_000);

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
    const { database, storage } = app.api;
    await storage.remove(key);
    const deployments = await adoptDeployments(database);
    const { missing } = await reconcileArchives(database, archiveBatches(storage, deployments));
    expect(missing.map(({ archiveKey }) => archiveKey)).toEqual([key]);
  } finally {
    await app.stop();
  }
});

test('the password of the database is not among the arguments of a program, whatever characters it has', async () => {
  const script = 'source docs/deployment/connections; echo "$database"; printf %s "$PGPASSWORD"';
  const printed = await site.run(['bash', '-euc', script], {
    DATABASE_URL: 'postgresql://me:a%40b%25c@db:5432/m',
    S3_BUCKET: 'modules',
  });
  expect(printed.split('\n')).toEqual(['postgresql://me@db:5432/m', 'a@b%c']);
});
