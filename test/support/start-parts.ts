import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../shared/db/migrate.ts';
import { ensureDatabase, startPostgres } from '../../shared/local/postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    redisProgram: string | null;
    s3Program: string | null;
    chromiumProgram: string | null;
    /** Where Debian's server and tools of PostgreSQL are. */
    postgresFolder: string;
    /** Address of the database that each test file clones. */
    templateUrl: string;
    redisUrl: string | null;
    s3Endpoint: string | null;
    /** Where tests may write; removed at the end. */
    scratch: string;
  }
}

/** A bucket's server in tests has these keys. */
export const S3_KEYS = { accessKeyId: 'test-access', secretAccessKey: 'test-secret' };

/** Starts the real parts that a project's tests share. Each project has its own. */
export default async function startParts(project: TestProject): Promise<() => Promise<void>> {
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'module-import-test-'));
  const children: ChildProcess[] = [];
  const postgres = await startPostgres(path.join(scratch, 'postgres'), { fsync: false });
  const templateUrl = await ensureDatabase(postgres.url, 'template_of_tests');
  await migrate(templateUrl);
  project.provide('templateUrl', templateUrl);
  project.provide('scratch', scratch);
  project.provide('redisUrl', await startRedis(project, scratch, children));
  project.provide('s3Endpoint', await startS3(project, scratch, children));
  return async () => {
    for (const child of children) child.kill('SIGKILL');
    await postgres.stop();
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  };
}

async function startRedis(
  project: TestProject,
  scratch: string,
  children: ChildProcess[],
): Promise<string | null> {
  const program = project.getProvidedContext().redisProgram;
  if (program === null) return null;
  const port = await freePort();
  // Each test file has a database of its own in it, picked at random.
  const args = [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--databases',
    '1000000',
    '--maxmemory-policy',
    'noeviction',
  ];
  children.push(spawn(program, args, { cwd: scratch, stdio: 'ignore' }));
  await listening(port);
  return `redis://127.0.0.1:${port}`;
}

async function startS3(
  project: TestProject,
  scratch: string,
  children: ChildProcess[],
): Promise<string | null> {
  const program = project.getProvidedContext().s3Program;
  if (program === null) return null;
  const port = await freePort();
  const root = path.join(scratch, 's3');
  await mkdir(root);
  const args = [
    '--port',
    `127.0.0.1:${port}`,
    '--access',
    S3_KEYS.accessKeyId,
    '--secret',
    S3_KEYS.secretAccessKey,
    '--quiet',
    '--keep-alive',
    'posix',
    root,
  ];
  children.push(spawn(program, args, { stdio: 'ignore' }));
  await listening(port);
  return `http://127.0.0.1:${port}`;
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => {
        resolve(false);
      });
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing listens on port ${port}`);
}
