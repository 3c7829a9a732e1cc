import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../shared/local/free-port.ts';
import { parseMetrics } from '../support/metric-values.ts';
import { packageForm } from '../support/package-form.ts';
import { samplePackage } from '../support/sample-package.ts';
import { compileService, startServiceProcess, type ServiceProcess } from '../support/service-process.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { answerTo, callThrough, openThrough } from './support/proxied-call.ts';
import { startProxy, type Proxy } from './support/start-proxy.ts';

const CLIENTS = 4;
/** So that the clients leave the processors to the processes that start. */
const PAUSE_MS = 250;
/** Longer than a proxy needs to notice that a process is there. */
const UNTIL_NOTICED_MS = 6_000;
/** The token exchanges of a client address that the service allows in a minute, at both processes together. */
const MORE_THAN_ALLOWED = 130;
const UNTIL_RELOADED_MS = 1_000;
let app: TestApp;
let vendor: TestOrganization;

beforeAll(async () => {
  compileService();
  app = await startTestApp({ settings: { MAX_IMPORTS_PER_MINUTE: '100000' } });
  vendor = await app.organization();
});

afterAll(() => app.stop());

const importPath = () => `/api/v8.0/${vendor.id}/ImportModuleAsync`;

/** An import of a new module, whose package has a file of this size that does not compress. */
function importOf(bytes: number) {
  const files = { 'PackageArtifact/build/data.bin': randomBytes(bytes) };
  return {
    method: 'POST',
    headers: { Authorization: vendor.admin },
    body: packageForm(samplePackage(app.api.catalogue, { files })),
  };
}

function randomLoopback(): string {
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
}

describe.each(['nginx', 'caddy'] as const)('%s, configured as docs/deployment/proxy has it', (name) => {
  let ports: [number, number];
  let applications: [number, number];
  let processes: ServiceProcess[];
  let proxy: Proxy;

  const start = (port: number, index: number) =>
    startServiceProcess('api', {
      ...app.environment,
      PORT: String(port),
      APPS_PORT: String(applications[index]),
      APPS_ORIGIN: 'http://*.apps.localhost',
      TRUST_PROXY: '1',
      SHUTDOWN_DELAY_SECONDS: '5',
    });

  beforeAll(async () => {
    ports = [await freePort(), await freePort()];
    applications = [await freePort(), await freePort()];
    processes = await Promise.all(ports.map(start));
    proxy = await startProxy(name, { api: ports, applications });
  });

  afterAll(async () => {
    await proxy.stop();
    for (const each of processes) await each.stop();
  });

  async function uploadsRunning(): Promise<number> {
    const counts = ports.map(async (port) => {
      const metrics = parseMetrics(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
      return metrics.get('import_uploads_running') ?? 0;
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  test('an upload reaches the service while it is being sent', async () => {
    const headers = {
      Authorization: vendor.admin,
      'Content-Type': 'multipart/form-data; boundary=started',
    };
    const open = () => {
      const request = openThrough(proxy, importPath(), { method: 'POST', headers });
      request.on('error', () => undefined).on('response', () => request.destroy());
      request.write('--started\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\nPK');
      return request;
    };
    let request = open();
    onTestFinished(() => void request.destroy());
    const running = async () => {
      // The test before may have let the proxy reload, or stopped a process that it still tries.
      if (request.destroyed) request = open();
      return uploadsRunning();
    };
    await expect.poll(running).toBe(1);
    request.destroy();
    await expect.poll(uploadsRunning).toBe(0);
  });

  test('a package of 20 MB is imported', async () => {
    const { status, text } = await callThrough(proxy, importPath(), importOf(20_000_000));
    expect([status, text]).toEqual([200, expect.stringContaining('"created"')]);
  });

  test('the application of a module is at its own host name, and only there', async () => {
    const answer = await app.importPackage(vendor, samplePackage(app.api.catalogue));
    const path = '/1/index.html';
    const host = `${String(answer.body.moduleId)}.apps.localhost`;
    const call = { headers: { Host: host, 'Accept-Encoding': 'identity' } };
    const { status, text } = await callThrough(proxy, path, call);
    expect([status, text]).toEqual([200, expect.stringContaining('Soil moisture')]);
    expect((await callThrough(proxy, path)).status).toBe(404);
    expect((await callThrough(proxy, '/readyz', call)).status).toBe(404);
  });

  test.each(['/livez', '/readyz', '/metrics', '/READYZ/'])('%s is not passed on', async (path) => {
    expect(await callThrough(proxy, path)).toMatchObject({
      status: 404,
      text: expect.not.stringContaining('traceId'),
    });
  });

  test('each event arrives when it happens', async () => {
    const upload = importOf(1_000);
    const headers = { ...upload.headers, Prefer: 'respond-async' };
    const accepted = await callThrough(proxy, importPath(), { ...upload, headers });
    const { importId } = JSON.parse(accepted.text) as { importId: string };
    const request = openThrough(proxy, `/api/v8.0/${vendor.id}/imports/${importId}/events`, {
      headers: { Authorization: vendor.admin },
    });
    request.end();
    const answer = await answerTo(request);
    expect(answer.headers['content-type']).toContain('text/event-stream');
    let events = '';
    for await (const piece of answer) events += String(piece);
    expect(events).toContain('"succeeded"');
  });

  test('limits hold for the address of the client, whatever address it claims', async () => {
    const exchange = async (localAddress: string, claimed: string) => {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': claimed };
      const body = '{"token":"a.b.c","moduleId":"00000000-0000-4000-8000-000000000001"}';
      const call = { method: 'POST', headers, body, localAddress };
      return (await callThrough(proxy, '/api/v8.0/trusted-publishing/token', call)).status;
    };
    // Both proxies have the same API processes behind them.
    const [first, second] = [randomLoopback(), randomLoopback()];
    const statuses = new Set<number>();
    for (let number = 0; number < MORE_THAN_ALLOWED; number += 1)
      statuses.add(await exchange(first, `198.51.100.${number}`));
    expect([...statuses]).toEqual([401, 429]);
    expect(await exchange(second, '198.51.100.1')).toBe(401);
  });

  test('restarting API processes one after the other fails no request', async () => {
    const load = { isOver: false };
    const answers: unknown[] = [];
    const client = async () => {
      while (!load.isOver) {
        const { status, text } = await callThrough(proxy, importPath(), importOf(100));
        answers.push(status === 200 ? status : `${status} ${text.slice(0, 500)}`);
        await sleep(PAUSE_MS);
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    for (const [index, port] of ports.entries()) {
      await sleep(UNTIL_NOTICED_MS);
      await proxy.markDown(port);
      await sleep(UNTIL_RELOADED_MS);
      await processes[index]?.stop();
      processes[index] = await start(port, index);
      await proxy.markDown(null);
    }
    await sleep(UNTIL_NOTICED_MS);
    load.isOver = true;
    await Promise.all(clients);
    expect(answers.length).toBeGreaterThan(CLIENTS);
    expect([...new Set(answers)]).toEqual([200]);
  });

  test('plain http leads to https', async () => {
    const request = http.get({ host: 'localhost', port: proxy.httpPort, path: '/portal' });
    const answer = await answerTo(request);
    answer.resume();
    expect(answer.statusCode).toBe(308);
    expect(answer.headers.location).toMatch(/^https:\/\/localhost.*\/portal$/);
  });

  if (name === 'nginx') {
    test('a new certificate is served after a reload', async () => {
      const before = await servedCertificate(proxy);
      proxy.renewCertificate();
      await expect.poll(() => servedCertificate(proxy)).not.toBe(before);
    });
  }
});

/** The serial number of the certificate that a proxy shows. */
async function servedCertificate({ url }: Proxy): Promise<string> {
  const port = Number(new URL(url).port);
  // The test looks at the certificate and sends nothing.
  const socket = tls.connect({ host: 'localhost', port, servername: 'localhost', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

test('nginx waits longer for an answer than the service for an import', () => {
  const text = readFileSync('docs/deployment/proxy/nginx.conf', 'utf8');
  const seconds = Number(/proxy_read_timeout (\d+)s;/.exec(text)?.[1]);
  expect(seconds).toBeGreaterThan(app.config.imports.waitSeconds);
});
