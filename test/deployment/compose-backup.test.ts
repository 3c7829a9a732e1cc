import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { ensureDatabase } from '../../shared/local/postgres.ts';
import { replaced, shellBlockWith } from '../support/page-blocks.ts';
import { makeBucket } from '../support/part-servers.ts';
import { S3_KEYS } from '../support/s3-stores.ts';
import { startBackupSite, type BackupSite } from './support/backup-site.ts';
import type { StoreKey } from './support/backup-store.ts';

interface BackupService {
  /** The folder of its Dockerfile. */
  readonly build: string;
  readonly environment: Readonly<Record<string, string>>;
}

const folder = path.join(inject('scratch'), `compose-backup-${randomUUID()}`);
/** Where the image has its programs. */
const programs = path.join(folder, 'opt');
let site: BackupSite;
let service: BackupService;

beforeAll(async () => {
  site = await startBackupSite(folder);
  const compose = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }) as {
    services: { backup: BackupService };
  };
  service = compose.services.backup;
  await mkdir(programs);
  const context = service.build;
  const dockerfile = await readFile(path.join(context, 'Dockerfile'), 'utf8');
  const [, files = ''] = /^COPY (.*) \/opt\/module-import\/$/m.exec(dockerfile) ?? [];
  for (const file of files.split(' ')) await cp(path.join(context, file), path.join(programs, file));
});

afterAll(() => site.stop());

/** The configuration that the page writes beside docker-compose.yml, with this key. */
async function writeConfiguration({ accessKeyId, secretAccessKey }: StoreKey): Promise<string> {
  const texts = [accessKeyId, secretAccessKey];
  const block = replaced(shellBlockWith('docs/operators.md', 'cat > rclone.conf'), {
    'https://s3.elsewhere.example': site.store.endpoint,
    'docker compose run --rm --build backup': '',
    'chown 65532 rclone.conf': '',
    'rclone.conf': `compose-${accessKeyId}.conf`,
  });
  await promisify(execFile)('bash', ['-euc', block.replaceAll('…', () => texts.shift() ?? '')], {
    cwd: folder,
  });
  return path.join(folder, `compose-${accessKeyId}.conf`);
}

/** The environment of the service, with the addresses of the test in place of those of the other services. */
async function environmentWith(
  database: string,
  bucket: string,
  key: StoreKey,
): Promise<Record<string, string>> {
  const values = Object.entries(service.environment).map(([name, value]) => [
    name,
    value
      .replace('${S3_ACCESS_KEY_ID:?}', S3_KEYS.accessKeyId)
      .replace('${S3_SECRET_ACCESS_KEY:?}', S3_KEYS.secretAccessKey)
      .replace('http://s3:7070', inject('s3Endpoint') ?? ''),
  ]);
  return {
    ...(Object.fromEntries(values) as Record<string, string>),
    PATH: [programs, inject('postgresFolder'), process.env['PATH']].join(path.delimiter),
    DATABASE_URL: database,
    S3_BUCKET: bucket,
    RCLONE_CONFIG: await writeConfiguration(key),
  };
}

test('the service backup of docker-compose.yml backs up and restores rows and objects', async () => {
  const place = async (name: string) =>
    [
      await ensureDatabase(site.postgres.url, name),
      (await makeBucket(inject('s3Endpoint') ?? ''))['S3_BUCKET'] ?? '',
    ] as const;
  const [database, bucket] = await place('live');
  const live = await environmentWith(database, bucket, site.store.writer);
  const sql = (url: string, command: string) =>
    site.run(['psql', '--tuples-only', '--dbname', url, '--command', command], live);
  await sql(database, "create table notes as select 'kept' as text");
  await site.run(['rclone', 'copyto', 'LICENSE', `live:${bucket}/packages/object`], live);
  const [, name = ''] = /^backup (\S+)$/m.exec(await site.run(['back-up'], live)) ?? [];

  const [emptyDatabase, emptyBucket] = await place('restored');
  const restored = await environmentWith(emptyDatabase, emptyBucket, site.store.reader);
  expect(await site.run(['rclone', 'lsf', 'backup:dumps'], restored)).toBe(`${name}.dump\n`);
  await site.run(['restore', name], restored);
  expect(await sql(emptyDatabase, 'select text from notes')).toContain('kept');
  expect(await site.run(['rclone', 'cat', `live:${emptyBucket}/packages/object`], restored)).toBe(
    await readFile('LICENSE', 'utf8'),
  );
});
