import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ensureDatabase } from '../../shared/local/postgres.ts';
import { findProgram } from '../support/find-program.ts';
import { makeBucket } from '../support/part-servers.ts';
import { S3_KEYS } from '../support/s3-stores.ts';
import { startBackupSite, writeRclone, type BackupSite } from './support/backup-site.ts';
import type { StoreKey } from './support/backup-store.ts';

const BACK_UP = 'docs/deployment/back-up';
const folder = path.join(inject('scratch'), `backup-failures-${randomUUID()}`);

describe('a backup that cannot be stored fails, and the time of the last complete one stays', () => {
  let site: BackupSite;
  /** A server that accepts connections and never answers. */
  let hanging: net.Server;
  let hangingPort: number;
  /** A live bucket with an object that no backup has. */
  let live: Record<string, string>;

  beforeAll(async () => {
    site = await startBackupSite(folder);
    hanging = net.createServer().listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    ({ port: hangingPort } = hanging.address() as net.AddressInfo);
    live = {
      DATABASE_URL: await ensureDatabase(site.postgres.url, 'live'),
      ...(await makeBucket(inject('s3Endpoint') ?? '')),
      RCLONE_TIMEOUT: '1s',
      PGCONNECT_TIMEOUT: '2',
    };
    const file = path.join(folder, 'object');
    await writeFile(file, 'object');
    await site.run(['rclone', 'copyto', file, `live:${live['S3_BUCKET'] ?? ''}/packages/object`], live);
    await site.run([BACK_UP], live);
  });

  afterAll(async () => {
    hanging.close();
    await site.stop();
  });

  const onHanging = () => `http://127.0.0.1:${hangingPort}`;
  const noKey = { accessKeyId: 'nobody', secretAccessKey: 'no-secret' };
  const configuration = (name: string, endpoint: string, key: StoreKey) =>
    writeRclone(path.join(folder, `${name}.conf`), endpoint, [S3_KEYS, key]);
  const faults: Readonly<Record<string, [() => Promise<Record<string, string>>, RegExp]>> = {
    'the other store hangs': [
      async () => ({ RCLONE_CONFIG: await configuration('hangs', onHanging(), site.store.writer) }),
      /time-?out|deadline/i,
    ],
    'the other store refuses the key': [
      async () => ({ RCLONE_CONFIG: await configuration('refused', site.store.endpoint, noKey) }),
      /InvalidAccessKeyId|AccessDenied/,
    ],
    'the other bucket does not exist': [
      async () => ({ RCLONE_CONFIG: await writeWrongBucket() }),
      /NoSuchBucket|AccessDenied/,
    ],
    "the service's bucket does not exist": [
      () => Promise.resolve({ S3_BUCKET: 'nowhere' }),
      /NoSuchBucket|directory not found/,
    ],
    'the database hangs': [
      () => Promise.resolve({ DATABASE_URL: `postgres://modules:secret@127.0.0.1:${hangingPort}/modules` }),
      /timeout expired/,
    ],
    'there is no configuration of rclone': [
      () => Promise.resolve({ RCLONE_CONFIG: '/nowhere' }),
      /Set S3_BUCKET, and RCLONE_CONFIG to a file with the remotes live: and backup:/,
    ],
  };

  async function writeWrongBucket(): Promise<string> {
    const file = await configuration('wrong-bucket', site.store.endpoint, site.store.writer);
    await writeFile(file, (await readFile(file, 'utf8')).replace(`:${site.store.bucket}`, ':nowhere'));
    return file;
  }

  test.each(Object.entries(faults))('%s', async (_title, [settingsOf, message]) => {
    const before = await site.lastBackup();
    await expect(site.run([BACK_UP], { ...live, ...(await settingsOf()) })).rejects.toThrow(message);
    expect(await site.lastBackup()).toBe(before);
  });

  test('another backup is running', async () => {
    const before = await site.lastBackup();
    const holder = spawn('flock', [path.join(folder, 'lock'), 'sh', '-c', 'echo held; read -r end']);
    await once(holder.stdout, 'data');
    await expect(site.run([BACK_UP], live)).rejects.toThrow('Another backup is running. Wait for its end.');
    holder.stdin.end();
    await once(holder, 'close');
    expect(await site.lastBackup()).toBe(before);
  });

  test('an object that is removed between the list and the copy is left out', async () => {
    const objects = `live:${live['S3_BUCKET'] ?? ''}/packages`;
    await site.run(['rclone', 'copyto', path.join(folder, 'object'), `${objects}/removed`], live);
    const rclone = findProgram('rclone') ?? '';
    const removing = `if [ "$1" = copy ]; then '${rclone}' deletefile '${objects}/removed'; fi\nexec '${rclone}' "$@"`;
    const programs = path.join(folder, 'removing');
    await mkdir(programs);
    await writeFile(path.join(programs, 'rclone'), `#!/bin/sh\n${removing}\n`, { mode: 0o755 });
    const PATH = [programs, inject('postgresFolder'), process.env['PATH']].join(path.delimiter);
    expect(await site.run([BACK_UP], { ...live, PATH })).toContain('backup ');
    const stored = await site.run(['rclone', 'lsf', 'backup:packages'], {
      RCLONE_CONFIG: site.rclone.restore,
    });
    expect(stored).not.toContain('removed');
  });

  test('the next backup copies only the objects that no earlier one has', async () => {
    const bucket = live['S3_BUCKET'] ?? '';
    await site.run(
      ['rclone', 'copyto', path.join(folder, 'object'), `live:${bucket}/packages/another`],
      live,
    );
    expect(await site.run([BACK_UP], live)).toContain('backup ');
    expect(await readFile(path.join(folder, 'part'), 'utf8')).toBe('another\n');
    const stored = await site.run(['rclone', 'lsf', 'backup:packages'], {
      RCLONE_CONFIG: site.rclone.restore,
    });
    expect(stored.split('\n')).toEqual(expect.arrayContaining(['another', 'object']));
  });
});
