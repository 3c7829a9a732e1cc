import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chown, copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { probeStorage } from '../../../shared/storage/probe-storage.ts';
import { migrate } from '../../../shared/db/migrate.ts';
import { freePort } from '../../../shared/local/free-port.ts';
import { ensureDatabase, startPostgres } from '../../../shared/local/postgres.ts';
import { makeCertificate, type TestCertificate } from '../../support/certificates.ts';
import { packageForm } from '../../support/package-form.ts';
import { startRedisServer, startS3Server } from '../../support/part-servers.ts';
import { S3_KEYS, VERSITYGW } from '../../support/s3-stores.ts';
import { samplePackage } from '../../support/sample-package.ts';
import { compileService, startServiceProcess } from '../../support/service-process.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { startTestIssuer } from '../../support/test-issuer.ts';

const BUCKET = 'modules';

/** An app whose PostgreSQL server no other test uses. */
async function startOwnApp(folder: string): Promise<TestApp> {
  // With tools of the same version: an older pg_dump refuses a server.
  const programs = inject('postgresFolder');
  const postgres = await startPostgres(path.join(folder, 'postgres'), { fsync: false, programs });
  onTestFinished(() => postgres.stop());
  const url = await ensureDatabase(postgres.url, 'modules');
  await migrate(url);
  const app = await startTestApp({ worker: false, settings: { DATABASE_URL: url } });
  onTestFinished(() => app.stop());
  return app;
}

/** Lets a PostgreSQL server offer TLS; a client that does not ask for it goes on without. */
async function offerTls(url: string, { keyFile, certFile }: TestCertificate): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ folder: string }>(
    `select current_setting('data_directory') as folder`,
  );
  const folder = rows[0]?.folder ?? '';
  const { uid, gid } = await stat(folder);
  for (const [name, file] of Object.entries({ 'server.key': keyFile, 'server.crt': certFile })) {
    await copyFile(file, path.join(folder, name));
    await chown(path.join(folder, name), uid, gid);
  }
  await client.query('alter system set ssl = on');
  await client.query('select pg_reload_conf()');
  await client.end();
}

async function startRedisWithTls(folder: string, { keyFile, certFile }: TestCertificate): Promise<string> {
  const port = await freePort();
  const tls = ['--tls-port', `${port}`, '--tls-cert-file', certFile, '--tls-key-file', keyFile];
  const settings = ['--save', '', ...tls, '--port', '0', '--tls-auth-clients', 'no'];
  const redis = await startRedisServer(inject('redisProgram') ?? '', port, folder, settings);
  onTestFinished(() => void redis.process.kill('SIGKILL'));
  return `rediss://127.0.0.1:${port}`;
}

async function startS3WithTls(folder: string, { keyFile, certFile }: TestCertificate): Promise<string> {
  const port = await freePort();
  const root = path.join(folder, 's3');
  await mkdir(path.join(root, BUCKET), { recursive: true });
  const withTls = {
    ...VERSITYGW,
    async command() {
      const { program, args } = await VERSITYGW.command(port, root);
      return { program, args: ['--cert', certFile, '--key', keyFile, ...args] };
    },
  };
  const { process } = await startS3Server(withTls, port, root);
  onTestFinished(() => void process.kill('SIGKILL'));
  return `https://127.0.0.1:${port}`;
}

/** Every part with a certificate that only one authority vouches for; returns the settings of the service. */
async function startPartsWithTls(app: TestApp, folder: string, certificate: TestCertificate) {
  const issuer = await startTestIssuer('127.0.0.1', 0, certificate);
  onTestFinished(() => issuer.stop());
  const databaseUrl = app.environment['DATABASE_URL'] ?? '';
  await offerTls(databaseUrl, certificate);
  const database = new URL(databaseUrl);
  database.hostname = 'localhost';
  database.searchParams.set('sslmode', 'verify-full');
  const environment = {
    ...app.environment,
    LOG_LEVEL: 'info',
    AUTH_ISSUER: issuer.url,
    DATABASE_URL: database.href,
    REDIS_URL: await startRedisWithTls(folder, certificate),
    S3_ENDPOINT: await startS3WithTls(folder, certificate),
    S3_BUCKET: BUCKET,
  };
  return { issuer, environment, database };
}

test('with NODE_EXTRA_CA_CERTS an import runs on parts that all have certificates of an own authority', async () => {
  compileService();
  const folder = path.join(inject('scratch'), randomUUID());
  const certificate = await makeCertificate(folder);
  const app = await startOwnApp(folder);
  const { issuer, environment } = await startPartsWithTls(app, folder, certificate);
  const trusting = { ...environment, NODE_EXTRA_CA_CERTS: certificate.authorityFile };
  const worker = await startServiceProcess('worker', trusting);
  onTestFinished(() => worker.stop());
  const api = await startServiceProcess('api', trusting);
  onTestFinished(() => api.stop());
  const url = `http://127.0.0.1:${api.ready.listening ?? 0}`;
  const { id } = await app.organization();
  const token = await issuer.token({ organizations: [{ id, roles: ['OrganizationAdmin'] }] });
  const answer = await fetch(`${url}/api/v8.0/${id}/ImportModuleAsync`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: packageForm(samplePackage(app.api.catalogue)),
  });
  expect(answer.status, await answer.text()).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

test('without it, the store is refused, and the advice names NODE_EXTRA_CA_CERTS', async () => {
  const folder = path.join(inject('scratch'), randomUUID());
  const certificate = await makeCertificate(folder);
  const app = await startTestApp({ worker: false });
  onTestFinished(() => app.stop());
  const endpoint = await startS3WithTls(folder, certificate);
  const { s3 } = app.config;
  const steps = await probeStorage({ ...app.config, s3: s3 && { ...s3, endpoint, bucket: BUCKET } });
  expect(steps).toHaveLength(1);
  expect(steps[0]?.detail).toContain(`The certificate of ${endpoint} is from an authority`);
  expect(steps[0]?.advice).toContain('set NODE_EXTRA_CA_CERTS');
});

test('PostgreSQL alone can have its authority in DATABASE_URL as sslrootcert', async () => {
  const folder = path.join(inject('scratch'), randomUUID());
  const certificate = await makeCertificate(folder);
  const app = await startOwnApp(folder);
  const { database } = await startPartsWithTls(app, folder, certificate);
  await expect(new pg.Client({ connectionString: database.href }).connect()).rejects.toThrow('certificate');
  database.searchParams.set('sslrootcert', certificate.authorityFile);
  const client = new pg.Client({ connectionString: database.href });
  await client.connect();
  const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
  await client.end();
  expect(rows).toEqual([{ ssl: true }]);
});

test('with it a backup runs on PostgreSQL and a store of that authority', async () => {
  const folder = path.join(inject('scratch'), randomUUID());
  const certificate = await makeCertificate(folder);
  const app = await startOwnApp(folder);
  const { environment } = await startPartsWithTls(app, folder, certificate);
  const remotes = [
    ...['[live]', 'type = s3', 'provider = Other', `endpoint = ${environment.S3_ENDPOINT}`],
    ...[`access_key_id = ${S3_KEYS.accessKeyId}`, `secret_access_key = ${S3_KEYS.secretAccessKey}`],
    ...['[backup]', 'type = alias', `remote = live:${BUCKET}/backup`],
  ];
  await writeFile(path.join(folder, 'rclone.conf'), remotes.join('\n'));
  const env = {
    PATH: [inject('postgresFolder'), process.env['PATH']].join(path.delimiter),
    ...{ DATABASE_URL: environment.DATABASE_URL, S3_BUCKET: BUCKET, CACHE_DIRECTORY: folder },
    ...{ RCLONE_CONFIG: path.join(folder, 'rclone.conf'), NODE_EXTRA_CA_CERTS: certificate.authorityFile },
  };
  const { stdout } = await promisify(execFile)('docs/deployment/back-up', [], { env });
  expect(stdout).toMatch(/^backup \S+$/m);
});
