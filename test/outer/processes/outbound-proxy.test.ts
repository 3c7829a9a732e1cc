import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { makeCertificate } from '../../support/certificates.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { compileService, startServiceProcess } from '../../support/service-process.ts';
import { startTestApp } from '../../support/test-app.ts';
import { makeChanges, makeWebhook } from '../../support/webhook-module.ts';
import { withWorker } from '../../support/with-worker.ts';

/** A public address. The proxy connects to a receiver on this machine instead. */
const RECEIVER = '93.184.216.34';

test('with OUTBOUND_PROXY_URL a webhook is called through the proxy, and its certificate is checked', async () => {
  compileService();
  const directory = path.join(inject('scratch'), randomUUID());
  const { keyFile, certFile, authorityFile } = await makeCertificate(directory, 2, `IP:${RECEIVER}`);
  const calls: string[] = [];
  const receiver = createServer(
    { key: readFileSync(keyFile), cert: readFileSync(certFile) },
    ({ method, url, headers }, response) => {
      calls.push(`${String(method)} ${String(url)} ${String(headers.host)}`);
      response.writeHead(204).end();
    },
  ).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const proxy = await startConnectProxy({ port: (receiver.address() as AddressInfo).port });
  const app = await startTestApp({ worker: false });
  onTestFinished(() => app.stop());
  const vendor = await app.organization();
  const { moduleId } = await withWorker(app, () => makeWebhook(app, vendor, `https://${RECEIVER}/hook`));
  const worker = await startServiceProcess('worker', {
    ...app.environment,
    OUTBOUND_PROXY_URL: `http://${proxy.address}`,
    NODE_EXTRA_CA_CERTS: authorityFile,
  });
  onTestFinished(() => worker.stop());
  await makeChanges(app, moduleId, 1);
  await expect.poll(() => calls, { timeout: 60_000 }).toContain(`POST /hook ${RECEIVER}`);
  expect(proxy.asked[0]?.target).toBe(`${RECEIVER}:443`);
});
