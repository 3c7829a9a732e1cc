import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { startPostgres, type RunningPostgres } from '../../../shared/local/postgres.ts';
import { parseMetrics } from '../../support/metric-values.ts';
import { replaced, shellBlockWith } from '../../support/page-blocks.ts';
import { S3_KEYS } from '../../support/s3-stores.ts';
import { startBackupStore, type BackupStore, type PolicyStatement, type StoreKey } from './backup-store.ts';

const PAGE = 'docs/operators.md';
const ROOT = path.resolve(import.meta.dirname, '../../..');

/** A database server, a store for backups, and the programs of docs/deployment with the configuration of the page. */
export interface BackupSite {
  readonly folder: string;
  readonly postgres: RunningPostgres;
  readonly store: BackupStore;
  /** The configurations of rclone. */
  readonly rclone: Readonly<Record<'backUp' | 'restore', string>>;
  /** Runs a program with the environment that its unit gives it; returns its output. */
  run(command: readonly string[], environment: Readonly<Record<string, string>>): Promise<string>;
  /** The time of the last complete backup in Unix seconds, as node_exporter reads it. */
  lastBackup(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the site. The key that backs up has the rights that docs/operators.md gives it. */
export async function startBackupSite(folder: string): Promise<BackupSite> {
  const postgres = await startPostgres(folder, { fsync: false, programs: inject('postgresFolder') });
  const store = await startBackupStore(path.join(folder, 'backup-store'), documentedRights());
  const keys = { backUp: [S3_KEYS, store.writer], restore: [S3_KEYS, store.reader] };
  const rclone = {
    backUp: await writeRclone(path.join(folder, 'rclone.conf'), store.endpoint, keys.backUp),
    restore: await writeRclone(path.join(folder, 'rclone-restore.conf'), store.endpoint, keys.restore),
  };
  return {
    folder,
    postgres,
    store,
    rclone,
    run: (command, environment) =>
      runInUnit(folder, command, { RCLONE_CONFIG: rclone.backUp, ...environment }),
    async lastBackup() {
      const text = await readFile(path.join(folder, 'last-backup.prom'), 'utf8');
      return parseMetrics(text).get('module_import_last_backup_timestamp_seconds') ?? 0;
    },
    async stop() {
      store.stop();
      await postgres.stop();
    },
  };
}

function documentedRights(): readonly PolicyStatement[] {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/^```json\n(.*?)^```$/gms)].map(
    ([, text = '']) => text,
  );
  const policy = blocks.find((text) => text.includes('s3:PutObject')) ?? '';
  return (JSON.parse(policy) as { Statement: readonly PolicyStatement[] }).Statement;
}

/** Writes the configuration of docs/operators.md with the keys of live: and of backup:. */
export async function writeRclone(
  file: string,
  backupEndpoint: string,
  keys: readonly StoreKey[],
): Promise<string> {
  const block = replaced(shellBlockWith(PAGE, '> /etc/module-import/rclone.conf'), {
    '/etc/module-import/rclone.conf': file,
    'systemctl enable --now module-import-backup.timer': '',
    'https://s3.example.com': inject('s3Endpoint') ?? '',
    'https://s3.elsewhere.example': backupEndpoint,
  });
  const texts = keys.flatMap(({ accessKeyId, secretAccessKey }) => [accessKeyId, secretAccessKey]);
  await promisify(execFile)('bash', ['-euc', block.replaceAll('…', () => texts.shift() ?? '')]);
  return file;
}

async function runInUnit(
  folder: string,
  [program = '', ...args]: readonly string[],
  { DATABASE_URL = '', ...others }: Readonly<Record<string, string>>,
): Promise<string> {
  const secret = path.join(folder, randomUUID());
  await writeFile(secret, `${DATABASE_URL}\n`);
  const env = {
    PATH: [path.join(folder, 'programs'), inject('postgresFolder'), process.env['PATH']].join(path.delimiter),
    HOME: folder,
    AUTH_ISSUER: 'https://id.example',
    DATABASE_URL_FILE: secret,
    CACHE_DIRECTORY: folder,
    ...others,
  };
  const { stdout } = await promisify(execFile)(program, args, { cwd: ROOT, env });
  return stdout;
}
