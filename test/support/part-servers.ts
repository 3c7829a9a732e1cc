import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import net from 'node:net';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { S3_KEYS, type S3Store } from './s3-stores.ts';

/** Redis as it runs where jobs must survive: what it accepted is on disk within a second. */
export const DURABLE_REDIS = [
  ...['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'],
  ...['--databases', '1'],
];

/** A server that tests have started on this machine. */
export interface PartServer {
  readonly port: number;
  readonly process: ChildProcess;
}

/** Starts Redis; by default it keeps nothing on disk. */
export async function startRedisServer(
  program: string,
  port: number,
  folder: string,
  settings: readonly string[] = ['--save', ''],
): Promise<PartServer> {
  // Each test file has a database of its own in it, picked at random.
  const databases = ['--databases', '1000000', '--maxmemory-policy', 'noeviction'];
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', ...databases, ...settings];
  const child = spawn(program, args, { cwd: folder, stdio: 'ignore' });
  await listening(port);
  return { port, process: child };
}

/** Starts an S3 server on an empty folder. */
export async function startS3Server(store: S3Store, port: number, root: string): Promise<PartServer> {
  await mkdir(root, { recursive: true });
  const { program, args, variables = {} } = await store.command(port, root);
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...variables } });
  await listening(port);
  return { port, process: child };
}

/** Makes a bucket of its own; returns the settings that name it. */
export async function makeBucket(
  endpoint: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const bucket = `test-${randomUUID()}`;
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: S3_KEYS });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
    S3_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
    ...settings,
  };
}

/** Resolves once a server listens on the port. @throws Error when none does within a minute */
export async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 1_200; attempt += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing listens on port ${port}`);
}
