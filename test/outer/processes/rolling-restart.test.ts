import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort } from '../../../shared/local/free-port.ts';
import { startReadyProxy } from '../../support/ready-proxy.ts';
import { samplePackage } from '../../support/sample-package.ts';
import { compileService, startServiceProcess, type ServiceProcess } from '../../support/service-process.ts';
import { packageForm } from '../../support/package-form.ts';
import { startTestApp } from '../../support/test-app.ts';

const CLIENTS = 6;
/** So that the clients leave the processors to the processes that start. */
const PAUSE_MS = 50;

test('restarting API processes one after the other fails no request', async () => {
  compileService();
  const app = await startTestApp();
  const vendor = await app.organization();
  const ports = [await freePort(), await freePort()];
  const start = (port: number) =>
    startServiceProcess('api', { ...app.environment, PORT: String(port), SHUTDOWN_DELAY_SECONDS: '3' });
  const processes: ServiceProcess[] = await Promise.all(ports.map(start));
  const proxy = await startReadyProxy(ports);
  const load = { isOver: false };
  const statuses: number[] = [];
  const client = async () => {
    while (!load.isOver) {
      const files = { 'ModuleToS/terms.md': `# ${statuses.length} ${Math.random()}\n` };
      const answer = await fetch(`${proxy.url}/api/v8.0/${vendor.id}/ImportModuleAsync`, {
        method: 'POST',
        headers: { Authorization: vendor.admin },
        body: packageForm(samplePackage(app.api.catalogue, { files })),
      });
      await answer.arrayBuffer();
      await sleep(PAUSE_MS);
      statuses.push(answer.status);
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  for (const [index, port] of ports.entries()) {
    await expect.poll(() => proxy.ready.size, { timeout: 30_000 }).toBe(2);
    await processes[index]?.stop();
    processes[index] = await start(port);
  }
  await expect.poll(() => proxy.ready.size, { timeout: 30_000 }).toBe(2);
  load.isOver = true;
  await Promise.all(clients);
  expect(statuses.length).toBeGreaterThan(CLIENTS);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  await proxy.stop();
  for (const each of processes) await each.stop();
  await app.stop();
});
