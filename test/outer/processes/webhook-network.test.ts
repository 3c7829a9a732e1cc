import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, inject, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { makeCertificate, type TestCertificate } from '../../support/certificates.ts';
import { canMakeNetworks, holdNetwork, inNetworkOf, run } from '../../support/hosts/own-network.ts';
import { compileService, startServiceProcess } from '../../support/service-process.ts';
import { startTestApp } from '../../support/test-app.ts';
import { makeChanges, makeWebhook } from '../../support/webhook-module.ts';
import { withWorker } from '../../support/with-worker.ts';

interface Compose {
  readonly services: Readonly<Record<string, { readonly networks: readonly string[] }>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

/** A public address. Outside of these networks nothing is sent to it. */
const RECEIVER = '93.184.216.34';
const ROUTER = '10.80.0.1';
const SERVICE = '10.80.0.2';

/** Prints the method and the path of each request. */
const RECEIVE = `
  const [host, key, cert] = process.argv.slice(1);
  const { readFileSync } = require('node:fs');
  const options = { key: readFileSync(key), cert: readFileSync(cert) };
  require('node:https').createServer(options, (request, response) => {
    console.log(request.method + ' ' + request.url);
    request.resume().on('end', () => response.writeHead(204).end());
  }).listen(443, host, () => console.log('ready'));
`;

/** Ends with 0 if a connection to the address can be made. */
const CONNECT = `
  require('node:net').connect(443, process.argv[1])
    .on('connect', () => process.exit(0)).on('error', () => process.exit(1));
`;

const compose = parse(readFileSync('docker-compose.yml', 'utf8')) as Compose;

async function newNetwork(): Promise<ChildProcess> {
  const holder = await holdNetwork();
  onTestFinished(() => void holder.kill('SIGKILL'));
  return holder;
}

const ip = (inside: ChildProcess, ...args: readonly string[]) => {
  const [program, ...prefix] = inNetworkOf(inside);
  run(program, ...prefix, 'ip', ...args);
};

/** The internet: a router, and a receiver of webhooks; returns its network, and what the receiver prints. */
async function startInternet({ keyFile, certFile }: TestCertificate) {
  const internet = await newNetwork();
  ip(internet, 'link', 'set', 'lo', 'up');
  ip(internet, 'address', 'add', `${RECEIVER}/32`, 'dev', 'lo');
  const [program, ...prefix] = inNetworkOf(internet);
  const args = [...prefix, process.execPath, '--eval', RECEIVE, RECEIVER, keyFile, certFile];
  const receiver = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void receiver.kill('SIGKILL'));
  const lines: string[] = [];
  const reader = createInterface(receiver.stdout).on('line', (line) => lines.push(line));
  await once(reader, 'line');
  return { internet, lines };
}

/** The network of a service of docker-compose.yml: it leads to the internet unless all networks of the service are internal. */
async function networkOf(service: string, internet: ChildProcess): Promise<ChildProcess> {
  const own = await newNetwork();
  ip(own, 'link', 'set', 'lo', 'up');
  const networks = compose.services[service]?.networks ?? [];
  if (networks.every((each) => compose.networks[each]?.internal === true)) return own;
  ip(internet, 'link', 'add', 'front', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(own.pid));
  ip(internet, 'address', 'add', `${ROUTER}/24`, 'dev', 'front');
  ip(internet, 'link', 'set', 'front', 'up');
  ip(own, 'address', 'add', `${SERVICE}/24`, 'dev', 'eth0');
  ip(own, 'link', 'set', 'eth0', 'up');
  ip(own, 'route', 'add', 'default', 'via', ROUTER);
  return own;
}

function reaches(from: ChildProcess, address: string): boolean {
  const [program, ...prefix] = inNetworkOf(from);
  return spawnSync(program, [...prefix, process.execPath, '--eval', CONNECT, address]).status === 0;
}

test.runIf(canMakeNetworks())(
  'in the networks of docker-compose.yml the worker calls a webhook on the internet, which the database cannot reach',
  async () => {
    compileService();
    const certificate = await makeCertificate(
      path.join(inject('scratch'), randomUUID()),
      2,
      `IP:${RECEIVER}`,
    );
    const { internet, lines } = await startInternet(certificate);
    const app = await startTestApp({ worker: false });
    onTestFinished(() => app.stop());
    const vendor = await app.organization();
    const { moduleId } = await withWorker(app, () => makeWebhook(app, vendor, `https://${RECEIVER}/hook`));
    const worker = await startServiceProcess(
      'worker',
      { ...app.environment, NODE_EXTRA_CA_CERTS: certificate.authorityFile },
      inNetworkOf(await networkOf('worker', internet)),
    );
    onTestFinished(() => worker.stop());
    await makeChanges(app, moduleId, 1);
    await expect.poll(() => lines, { timeout: 60_000 }).toContain('POST /hook');
    expect(reaches(await networkOf('postgres', internet), RECEIVER)).toBe(false);
  },
);
