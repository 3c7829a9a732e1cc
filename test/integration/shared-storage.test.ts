import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { archiveKeyOf, archivesOf, ARCHIVES } from '../../shared/db/imports/archives.ts';
import { adoptDeployments } from '../../shared/db/deployments.ts';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import { S3_KEYS } from '../support/s3-stores.ts';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const RETENTION = { UPLOAD_RETENTION_DAYS: '0' };

let live: TestApp;
let other: TestApp;
const apps: TestApp[] = [];

/** Starts a service on the storage of another one. */
async function startBeside(app: TestApp, settings: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  const { environment } = app;
  const names = Object.keys(environment).filter((name) => name === 'DATA_DIR' || name.startsWith('S3_'));
  const storage = Object.fromEntries(names.map((name) => [name, environment[name] ?? '']));
  const started = await startTestApp({ worker: false, settings: { ...RETENTION, ...storage, ...settings } });
  apps.push(started);
  return started;
}

beforeAll(async () => {
  live = await startTestApp({ settings: RETENTION });
  apps.push(live);
  other = await startBeside(live);
});

afterAll(async () => {
  for (const app of apps) await app.stop();
});

async function keysOf({ api: { storage } }: TestApp): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(ARCHIVES)) keys.push(key);
  return keys.toSorted();
}

/** A module, a package that waits, and the archive of an interrupted upload. */
async function fill(app: TestApp): Promise<string> {
  const vendor = await app.organization();
  const answer = await app.importPackage(vendor, samplePackage(app.api.catalogue));
  expect(answer.status, answer.text).toBe(200);
  const stray = archiveKeyOf(app.api.deploymentId, randomUUID());
  await app.api.storage.put(stray, Buffer.from('of an interrupted upload'));
  return stray;
}

test('of two deployments on one storage, neither collects what the other stored', async () => {
  const stray = await fill(live);
  const stored = await keysOf(live);
  await collectGarbage(other.api, 0);
  expect(await keysOf(live)).toEqual(stored);
  await collectGarbage(live.api, 0);
  expect(await keysOf(live)).toEqual(stored.filter((key) => key !== stray));
});

// A directory has no unfinished uploads: they are objects under their prefix.
test.skipIf(inject('s3Endpoint') === null)(
  'of two deployments on one bucket, neither aborts an upload that the other one receives',
  async () => {
    const { storage, deploymentId } = live.api;
    const cancelled = new AbortController();
    async function* slow(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(11 * 1024 * 1024);
      // On a busy machine the second piece is read only after it was cancelled.
      if (!cancelled.signal.aborted) await once(cancelled.signal, 'abort');
      throw new Error('the client disconnected');
    }
    const putting = storage.put(archiveKeyOf(deploymentId, randomUUID()), slow());
    putting.catch(() => undefined);
    const inAnHour = new Date(Date.now() + 3_600_000);
    const started = () => storage.removeUnfinished(`${archivesOf(deploymentId)}none`, inAnHour);
    await expect.poll(started).toBe(0);
    await expect.poll(() => countUnfinished(live)).toBe(1);
    await collectGarbage(other.api, -3_600_000);
    expect(await countUnfinished(live)).toBe(1);
    await collectGarbage(live.api, -3_600_000);
    expect(await countUnfinished(live)).toBe(0);
    cancelled.abort();
    await expect(putting).rejects.toThrow();
  },
);

/** The unfinished uploads of a bucket, by its own list. */
async function countUnfinished({ config: { s3 } }: TestApp): Promise<number> {
  const { ListMultipartUploadsCommand, S3Client } = await import('@aws-sdk/client-s3');
  if (s3 === null) throw new Error('there is no bucket');
  const { endpoint, region, forcePathStyle, bucket } = s3;
  const client = new S3Client({ endpoint: endpoint ?? '', region, forcePathStyle, credentials: S3_KEYS });
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  client.destroy();
  return Uploads.length;
}

/** Copies a database that nobody uses, as a staging copy of production is made. */
async function copyDatabase(url: string): Promise<string> {
  const from = new URL(url);
  const admin = new URL(url);
  admin.pathname = '/postgres';
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  const name = `copy_${randomUUID().replaceAll('-', '')}`;
  await client.query(`create database ${name} template ${from.pathname.slice(1)}`);
  await client.end();
  from.pathname = `/${name}`;
  return from.href;
}

test('a copy of a database on the same storage removes nothing that the original stored, until it adopts it', async () => {
  const before = await startTestApp({ worker: false, settings: RETENTION });
  const vendor = await before.organization();
  const zip = samplePackage(before.api.catalogue);
  const options = { query: '?validateOnly=true', headers: { Prefer: 'respond-async' } };
  const waiting = await before.importPackage(vendor, zip, options);
  expect(waiting.status, waiting.text).toBe(202);
  await before.api.storage.put(archiveKeyOf(before.api.deploymentId, randomUUID()), Buffer.from('stray'));
  await before.stop();
  const copy = await startBeside(before, {
    DATABASE_URL: await copyDatabase(before.environment['DATABASE_URL'] ?? ''),
  });
  expect(copy.api.deploymentId).not.toBe(before.api.deploymentId);
  const stored = await keysOf(copy);
  expect(stored).toHaveLength(2);

  await copy.startWorker();
  const statusOf = async () =>
    (
      await copy
        .as(vendor, await copy.bearer({ organizations: [{ id: vendor.id, roles: ['OrganizationAdmin'] }] }))
        .get(`/imports/${String(waiting.body.importId)}`)
    ).body.status as string;
  await expect.poll(statusOf, { timeout: 20_000 }).toBe('succeeded');
  await collectGarbage(copy.api, 0);
  expect(await keysOf(copy)).toEqual(stored);

  expect(await adoptDeployments(copy.api.database)).toContain(before.api.deploymentId);
  await collectGarbage(copy.api, 0);
  expect(await keysOf(copy)).toEqual([]);
});
