import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrate } from '../../shared/db/migrate.ts';
import { ensureDatabase } from '../../shared/local/postgres.ts';
import { smallPackage } from '../lab/bench/import/packages.ts';
import { makeBucket } from '../support/part-servers.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { startBackupSite, type BackupSite } from './support/backup-site.ts';

/** More for the figures of docs/operators.md. */
const IMPORTS = Number(process.env['DRILL_IMPORTS'] ?? '40');
const CLIENTS = 4;
/** Below the rates of one organization. */
const IMPORTS_OF_VENDOR = 20;
const ENCRYPTION_KEYS = `k1:${randomBytes(32).toString('base64')}`;
const folder = path.join(inject('scratch'), `drill-${randomUUID()}`);
let site: BackupSite;

beforeAll(async () => {
  site = await startBackupSite(folder);
});

afterAll(() => site.stop());

async function emptyParts(name: string): Promise<Record<string, string>> {
  const DATABASE_URL = await ensureDatabase(site.postgres.url, name);
  return { DATABASE_URL, ENCRYPTION_KEYS, ...(await makeBucket(inject('s3Endpoint') ?? '')) };
}

async function importPackages(app: TestApp): Promise<void> {
  const vendors: TestOrganization[] = [];
  while (vendors.length * IMPORTS_OF_VENDOR < IMPORTS) vendors.push(await app.organization());
  let started = 0;
  const client = async () => {
    for (let number = started++; number < IMPORTS; number = started++) {
      const vendor = vendors[Math.floor(number / IMPORTS_OF_VENDOR)] ?? expect.unreachable();
      expect((await app.importPackage(vendor, smallPackage())).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function sql(settings: Record<string, string>, query: string): Promise<string> {
  const { DATABASE_URL = '' } = settings;
  return site.run(
    ['psql', '--no-psqlrc', '--tuples-only', '--no-align', '--dbname', DATABASE_URL, '--command', query],
    settings,
  );
}

/** Each table with a hash of its rows. */
async function rowsOf(settings: Record<string, string>): Promise<string> {
  return sql(
    settings,
    `select table_name, query_to_xml(format(
       'select count(*), md5(string_agg(t::text, '','' order by t::text)) from %I t', table_name), false, true, '')
     from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`,
  );
}

/** Each object with its MD5 hash and its size. */
async function objectsOf({ S3_BUCKET = '', ...others }: Record<string, string>): Promise<string> {
  return site.run(
    ['rclone', 'lsf', '--recursive', '--files-only', '--format', 'phs', `live:${S3_BUCKET}`],
    others,
  );
}

async function bytesOf(settings: Record<string, string>): Promise<number[]> {
  const database = Number(await sql(settings, 'select pg_database_size(current_database())'));
  const objects = (await objectsOf(settings)).split('\n').map((line) => Number(line.split(';')[2] ?? 0));
  return [database, objects.reduce((sum, size) => sum + size, 0)];
}

async function secondsOf(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return (performance.now() - start) / 1_000;
}

test('a restored database and bucket have the rows and the objects of the live ones', async () => {
  const live = await emptyParts('live');
  await migrate(live['DATABASE_URL'] ?? '');
  const before = await bytesOf(live);
  const app = await startTestApp({ settings: live });
  await importPackages(app).finally(() => app.stop());
  const [database = 0, objects = 0] = (await bytesOf(live)).map(
    (bytes, index) => (bytes - (before[index] ?? 0)) / IMPORTS,
  );

  let name = '';
  const backUp = await secondsOf(async () => {
    [, name = ''] = /^backup (\S+)$/m.exec(await site.run(['docs/deployment/back-up'], live)) ?? [];
  });
  const restored = { ...(await emptyParts('restored')), RCLONE_CONFIG: site.rclone.restore };
  const restore = await secondsOf(() => site.run(['docs/deployment/restore', name], restored));
  const rows = await rowsOf(live);
  expect(rows).toContain('module_revisions');
  expect(await rowsOf(restored)).toBe(rows);
  const all = await objectsOf(live);
  expect(all.split('\n').length).toBeGreaterThan(IMPORTS);
  expect(await objectsOf(restored)).toBe(all);
  const times = `backup ${backUp.toFixed(1)} s, restore ${restore.toFixed(1)} s`;
  const bytes = `${(database / 1_024).toFixed(1)} KiB of the database and ${(objects / 1_024).toFixed(1)} KiB of objects`;
  process.stdout.write(`${IMPORTS} imports: ${times}; each left ${bytes}\n`);
});
