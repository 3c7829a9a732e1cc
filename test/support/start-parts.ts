import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../shared/db/migrate.ts';
import { freePort } from '../../shared/local/free-port.ts';
import { ensureDatabase, startPostgres } from '../../shared/local/postgres.ts';
import { startRedisServer, startS3Server, type PartServer } from './part-servers.ts';
import { storeNamed } from './s3-stores.ts';
import { makeScratchFolder } from './scratch-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    redisProgram: string | null;
    /** The name of the S3 server. */
    s3Store: string | null;
    chromiumProgram: string | null;
    /** The folder of Debian's PostgreSQL server and tools. */
    postgresFolder: string;
    /** URL of the server's own database, for tests that need no tables or make their own databases. */
    postgresUrl: string;
    /** URL of the database that each test file clones. It takes no connections: one would keep it from being cloned. */
    templateUrl: string;
    redisUrl: string | null;
    s3Endpoint: string | null;
    /** A folder that tests may write to; removed at the end. */
    scratch: string;
  }
}

/** Starts the real parts that a project's tests share. Each project has its own. */
export default async function startParts(project: TestProject): Promise<() => Promise<void>> {
  const scratch = await makeScratchFolder();
  const postgres = await startPostgres(path.join(scratch, 'postgres'), { fsync: false });
  await saveProcessorTime(postgres.url);
  // Through its Unix socket, if it has one: TCP costs each worker a fifth of its processor time.
  const templateUrl = await ensureDatabase(postgres.localUrl, 'template_of_tests');
  await migrate(templateUrl);
  await closeTemplate(postgres.url);
  project.provide('postgresUrl', postgres.url);
  project.provide('templateUrl', templateUrl);
  project.provide('scratch', scratch);
  const { redisProgram, s3Store } = project.getProvidedContext();
  const redis =
    redisProgram === null ? null : await startRedisServer(redisProgram, await freePort(), scratch);
  const s3 =
    s3Store === null
      ? null
      : await startS3Server(storeNamed(s3Store), await freePort(), path.join(scratch, 's3'));
  project.provide('redisUrl', redis && addressOf('redis', redis));
  project.provide('s3Endpoint', s3 && addressOf('http', s3));
  return async () => {
    for (const server of [redis, s3]) server?.process.kill('SIGKILL');
    await postgres.stop();
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** The server has a database for each test file, and each file opens many connections. */
async function saveProcessorTime(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // A vacuum would visit each database once a minute.
  await client.query('alter system set autovacuum = off');
  // The server derives a key from the password of each connection with this many iterations.
  await client.query('set scram_iterations = 1');
  await client.query(`alter role current_user password ${client.escapeLiteral(new URL(url).password)}`);
  // A client would derive five with WebCrypto, on a thread each.
  const { rows } = await client.query<{ path: string }>("select current_setting('hba_file') as path");
  const file = rows[0]?.path ?? '';
  await writeFile(
    file,
    `local all all password\nhost all all 127.0.0.1/32 password\n${await readFile(file, 'utf8')}`,
  );
  await client.query('select pg_reload_conf()');
  await client.end();
}

/** A test that connected to the template would make the cloning of another file fail. */
async function closeTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('alter database template_of_tests allow_connections false');
  await client.end();
}

function addressOf(scheme: string, { port }: PartServer): string {
  return `${scheme}://127.0.0.1:${port}`;
}
