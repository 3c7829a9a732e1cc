import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CreateBucketCommand, PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from '../../../shared/local/free-port.ts';
import { S3_KEYS, VERSITYGW } from '../../support/s3-stores.ts';
import { listening } from '../../support/part-servers.ts';

/** A key of an S3 server. */
export interface StoreKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A store for backups with two keys: one that may do what a policy allows, and one that only reads. */
export interface BackupStore {
  readonly endpoint: string;
  readonly bucket: string;
  readonly writer: StoreKey;
  readonly reader: StoreKey;
  stop(): void;
}

const BUCKET = 'module-import-backup';
const WRITER: StoreKey = { accessKeyId: 'backup-writer', secretAccessKey: 'secret-of-the-writer' };
const READER: StoreKey = { accessKeyId: 'backup-reader', secretAccessKey: 'secret-of-the-reader' };

/** A statement of a bucket's policy, without the key that it is for. */
export interface PolicyStatement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

const READS: readonly PolicyStatement[] = [
  { Effect: 'Allow', Action: 's3:ListBucket', Resource: `arn:aws:s3:::${BUCKET}` },
  { Effect: 'Allow', Action: 's3:GetObject', Resource: `arn:aws:s3:::${BUCKET}/*` },
];

/** Starts an S3 server in the folder, whose writer may do what the statements say. */
export async function startBackupStore(
  folder: string,
  writes: readonly PolicyStatement[],
): Promise<BackupStore> {
  const [accounts, data] = [path.join(folder, 'accounts'), path.join(folder, 'data')];
  await mkdir(accounts, { recursive: true });
  await mkdir(data);
  await writeFile(path.join(accounts, 'users.json'), JSON.stringify({ accessAccounts: accountsOf() }));
  const port = await freePort();
  const { program, args } = await VERSITYGW.command(port, data);
  const server: ChildProcess = spawn(program, ['--iam-dir', accounts, ...args], { stdio: 'ignore' });
  await listening(port);
  const endpoint = `http://127.0.0.1:${port}`;
  await makeBackupBucket(endpoint, [...statementsFor(WRITER, writes), ...statementsFor(READER, READS)]);
  return {
    endpoint,
    bucket: BUCKET,
    writer: WRITER,
    reader: READER,
    stop: () => void server.kill('SIGKILL'),
  };
}

/** The accounts as versitygw keeps them. */
function accountsOf(): Record<string, object> {
  const account = ({ accessKeyId, secretAccessKey }: StoreKey) => ({
    access: accessKeyId,
    secret: secretAccessKey,
    role: 'user',
  });
  return { [WRITER.accessKeyId]: account(WRITER), [READER.accessKeyId]: account(READER) };
}

function statementsFor({ accessKeyId }: StoreKey, statements: readonly PolicyStatement[]): readonly object[] {
  return statements.map((each) => ({ ...each, Principal: { AWS: [accessKeyId] } }));
}

async function makeBackupBucket(endpoint: string, statements: readonly object[]): Promise<void> {
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: S3_KEYS });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const policy = JSON.stringify({ Version: '2012-10-17', Statement: statements });
  await client.send(new PutBucketPolicyCommand({ Bucket: BUCKET, Policy: policy }));
  client.destroy();
}
