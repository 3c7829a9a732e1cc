import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import https from 'node:https';
import path from 'node:path';
import { inject } from 'vitest';
import { freePort } from '../../../shared/local/free-port.ts';

/** The TLS proxies that docs/deployment has a configuration of. */
export type ProxyName = 'nginx' | 'caddy';

/** A TLS proxy of this machine, in front of API processes. */
export interface Proxy {
  readonly url: string;
  readonly httpPort: number;
  /** Trusts the certificates of this proxy alone. */
  readonly agent: https.Agent;
  /** Replaces the certificate and lets nginx reload; Caddy renews its own. */
  renewCertificate(): void;
  /** Marks an API process as down, or none, and lets nginx reload; Caddy polls `/readyz`. */
  markDown(port: number | null): Promise<void>;
  stop(): Promise<void>;
}

interface ProxyFiles {
  readonly folder: string;
  readonly certificate: string;
  readonly key: string;
}

const FOLDER = path.resolve(import.meta.dirname, '../../../docs/deployment/proxy');

/** Starts a proxy with its configuration of docs/deployment, on ports and with a certificate of the test. */
export async function startProxy(
  name: ProxyName,
  { api, applications }: Pick<Ports, 'api' | 'applications'>,
): Promise<Proxy> {
  const folder = path.join(inject('scratch'), `proxy-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  const files = { folder, certificate: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') };
  makeCertificate(files);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const configure = { nginx: nginxCommand, caddy: caddyCommand }[name];
  const args = await configure(files, { http: httpPort, https: httpsPort, api, applications });
  const child = spawn(name, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let errors = '';
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  const closed = once(child, 'close');
  const certificates = [await readFile(files.certificate)];
  const proxy = {
    url: `https://localhost:${httpsPort}`,
    httpPort,
    // A proxy that reloads closes kept connections, and a request may be on its way to it.
    agent: new https.Agent({ ca: certificates, keepAlive: false }),
    renewCertificate() {
      makeCertificate(files);
      // A process that nginx replaces may serve the one before for a while.
      certificates.push(readFileSync(files.certificate));
      proxy.agent.options.ca = [...certificates];
      child.kill('SIGHUP');
    },
    async markDown(port: number | null) {
      if (name !== 'nginx') return;
      await markServerDown(path.join(folder, 'nginx.conf'), port);
      child.kill('SIGHUP');
    },
    async stop() {
      proxy.agent.destroy();
      child.kill('SIGTERM');
      await closed;
    },
  };
  await untilReady(proxy, () => (child.exitCode === null ? null : errors));
  return proxy;
}

/** A certificate for localhost that nobody but the test trusts. */
function makeCertificate({ certificate, key }: ProxyFiles): void {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,DNS:*.apps.localhost'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const args = ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', certificate];
  execFileSync('openssl', args, { stdio: 'ignore' });
}

async function markServerDown(file: string, port: number | null): Promise<void> {
  const text = (await readFile(file, 'utf8')).replaceAll(' down;', ';');
  await writeFile(file, text.replace(new RegExp(`(server 127.0.0.1:${port ?? '-'} [^;]*);`), '$1 down;'));
}

interface Ports {
  readonly http: number;
  readonly https: number;
  readonly api: readonly [number, number];
  readonly applications: readonly [number, number];
}

/** A text with replacements, each of which must be there. */
function replaced(text: string, replacements: readonly (readonly [string, string])[]): string {
  for (const [from] of replacements) if (!text.includes(from)) throw new Error(`there is no ${from}`);
  return replacements.reduce((result, [from, to]) => result.replaceAll(from, to), text);
}

async function nginxCommand({ folder, certificate, key }: ProxyFiles, ports: Ports): Promise<string[]> {
  const site = replaced(await readFile(path.join(FOLDER, 'nginx.conf'), 'utf8'), [
    ['listen 80;', `listen 127.0.0.1:${ports.http};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${ports.https} ssl;`],
    ['apps.example.com', 'apps.localhost'],
    ['/etc/ssl/module-import/apps-fullchain.pem', certificate],
    ['/etc/ssl/module-import/apps-privkey.pem', key],
    ['modules.example.com', 'localhost'],
    ['/etc/ssl/module-import/fullchain.pem', certificate],
    ['/etc/ssl/module-import/privkey.pem', key],
    ['127.0.0.1:8081', `127.0.0.1:${ports.api[0]}`],
    ['127.0.0.1:8082', `127.0.0.1:${ports.api[1]}`],
    ['127.0.0.1:18081', `127.0.0.1:${ports.applications[0]}`],
    ['127.0.0.1:18082', `127.0.0.1:${ports.applications[1]}`],
  ]);
  // As Debian's nginx.conf includes a site.
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  const main = `daemon off; pid ${folder}/nginx.pid; error_log stderr;
events { worker_connections 768; }
http { access_log off; ${temporary}
${site}
}`;
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, main);
  return ['-e', 'stderr', '-c', file];
}

async function caddyCommand({ folder, certificate, key }: ProxyFiles, ports: Ports): Promise<string[]> {
  const site = replaced(await readFile(path.join(FOLDER, 'Caddyfile'), 'utf8'), [
    ['modules.example.com {', `localhost:${ports.https} {\n\ttls ${certificate} ${key}`],
    ['*.apps.example.com {', `*.apps.localhost:${ports.https} {`],
    ['/etc/ssl/module-import/apps-fullchain.pem', certificate],
    ['/etc/ssl/module-import/apps-privkey.pem', key],
    ['127.0.0.1:8081', `127.0.0.1:${ports.api[0]}`],
    ['127.0.0.1:8082', `127.0.0.1:${ports.api[1]}`],
    ['127.0.0.1:18081', `127.0.0.1:${ports.applications[0]}`],
    ['127.0.0.1:18082', `127.0.0.1:${ports.applications[1]}`],
  ]);
  const file = path.join(folder, 'Caddyfile');
  await writeFile(file, `{\n\tadmin off\n\thttp_port ${ports.http}\n\thttps_port ${ports.https}\n}\n${site}`);
  return ['run', '--adapter', 'caddyfile', '--config', file];
}

async function untilReady({ url, agent }: Proxy, ended: () => string | null): Promise<void> {
  for (;;) {
    const said = ended();
    if (said !== null) throw new Error(`the proxy has ended: ${said}`);
    const status = await new Promise((resolve) => {
      https
        .get(`${url}/problems/not-found`, { agent }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
        .on('error', resolve);
    });
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
