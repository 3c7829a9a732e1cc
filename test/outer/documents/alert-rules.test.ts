import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { sequenceChanges } from '../../../shared/db/changes/change-sequencer.ts';
import { isRoot } from '../../../shared/local/unprivileged.ts';
import { runWorker } from '../../../worker/run-worker.ts';
import { answerOf } from '../../support/answer-of.ts';
import { scrapeBlackboxExporter, scrapeNodeExporter } from '../../support/exporters.ts';
import { findProgram } from '../../support/find-program.ts';
import { makeModule } from '../../support/machine-access.ts';
import { parseMetrics } from '../../support/metric-values.ts';
import { samplePackage } from '../../support/sample-package.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../../support/test-app.ts';
import { LOOPBACK_WEBHOOKS, makeChanges, makeWebhook } from '../../support/webhook-module.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

const RULES = path.resolve('docs/observability/alert-rules.yaml');
const rules = readFileSync(RULES, 'utf8');

const programs = {
  promtool: findProgram('promtool'),
  nodeExporter: findProgram('prometheus-node-exporter'),
  blackboxExporter: findProgram('prometheus-blackbox-exporter'),
};
const { promtool, nodeExporter, blackboxExporter } = programs;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test('Prometheus and its exporters are installed where no part may be left out', () => {
  if (process.env['REQUIRE_ALL_PARTS'] === '1') expect(Object.values(programs)).not.toContain(null);
});

test.runIf(promtool !== null)('Prometheus accepts the alert rules', () => {
  const result = spawnSync(promtool ?? '', ['check', 'rules', RULES]);
  expect(result.status, result.stderr.toString()).toBe(0);
});

interface Scraped {
  readonly instance: string;
  readonly text: string;
}

/** The series of a scrape that rules read, constant from the time of the scrape on, which is 0 for promtool. */
function constantSeries({ instance, text }: Scraped, scrapedAt: Date) {
  return [...parseMetrics(text)].flatMap(([each, value]) => {
    const [, name = '', labels] = /^(\w+)(?:\{(.*)\})?$/.exec(each) ?? [];
    if (!new RegExp(`\\b${name}\\b`).test(rules)) return [];
    const isTime = /_timestamp_seconds$|_expiry$/.test(name);
    const shown = isTime ? value - scrapedAt.getTime() / 1_000 : value;
    const all = [`instance="${instance}"`, ...(labels === undefined ? [] : [labels])].join();
    return [{ series: `${name}{${all}}`, values: `${shown}+0x120` }];
  });
}

/** The alerts that fire when Prometheus has scraped these metrics each minute for two hours. */
async function expectFiring(scraped: readonly Scraped[], expected: readonly string[]): Promise<void> {
  const scrapedAt = new Date();
  const samples = expected.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 }));
  const expr = 'group by (alertname) (ALERTS{alertstate="firing"})';
  const file = path.join(inject('scratch'), `${randomUUID()}.yaml`);
  const series = scraped.flatMap((each) => constantSeries(each, scrapedAt));
  const promql_expr_test = [{ expr, eval_time: '2h', exp_samples: samples }];
  const tests = [{ interval: '1m', input_series: series, promql_expr_test }];
  await writeFile(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
  const result = spawnSync(promtool ?? '', ['test', 'rules', file]);
  expect(result.status, `${result.stdout.toString()}${result.stderr.toString()}`).toBe(0);
}

async function startApp(): Promise<TestApp> {
  const app = await startTestApp({ settings: { ADMIN_PORT: '0', ...LOOPBACK_WEBHOOKS }, worker: false });
  onTestFinished(() => app.stop());
  return app;
}

async function metricsAt(instance: string, origin: string): Promise<Scraped> {
  // What this process did before, such as running promtool, kept its event loop busy. A scrape has the lag since the last one.
  await fetch(`${origin}/metrics`);
  const { status, text } = await answerOf(fetch(`${origin}/metrics`));
  expect(status).toBe(200);
  return { instance, text };
}

async function machinesAt(lastBackup: Date, days: number): Promise<readonly Scraped[]> {
  return [
    { instance: 'node', text: await scrapeNodeExporter(nodeExporter ?? '', lastBackup) },
    { instance: 'tls', text: await scrapeBlackboxExporter(blackboxExporter ?? '', days) },
  ];
}

/** Whether this process may mount a disk that only its own programs see. */
const canMount =
  isRoot && spawnSync('unshare', ['--mount', '--pid', '--fork', '--mount-proc', 'true']).status === 0;

/**
 * Mounts a disk of 8 MiB on /srv and fills it. node_exporter reads the mounts of process 1, so the programs that see the
 * disk have process numbers of their own too.
 */
const ON_A_FULL_DISK = `
  truncate --size 8M "$0" && mkfs.ext4 -q "$0" && mount -o loop "$0" /srv || exit
  head --bytes 8M /dev/zero >/srv/full 2>/dev/null
  "$@"`;

const hasPrograms = Object.values(programs).every((each) => each !== null);
const run = test.runIf(hasPrograms);

run('no alert fires of a service that works', async () => {
  const app = await startApp();
  const { adminPort } = await app.startWorker();
  const receiver = await startReceiver();
  const { moduleId } = await makeWebhook(app, await app.organization(), receiver.url);
  await makeChanges(app, moduleId, 1);
  await expect.poll(() => receiver.calls.length).toBe(1);
  const ofWorker = () => metricsAt('worker', `http://127.0.0.1:${adminPort ?? 0}`);
  const machines = await machinesAt(new Date(), 30);
  await expectFiring([await metricsAt('api', app.adminUrl), await ofWorker(), ...machines], []);
});

run('where Prometheus gets no metrics, the alerts on workers and on the backup fire', async () => {
  await expectFiring([], ['BackupUnknown', 'WorkersAbsent']);
});

run('each alert of what will hurt fires, and no other', async () => {
  const app = await startApp();
  const vendor = await app.organization();
  await failCalls(app, vendor);
  await queueImport(app, vendor);
  await rm(path.join(app.config.dataDir, 'objects'), { recursive: true });
  const api = await metricsOfFullPool(app);
  const machines = await machinesAt(new Date(Date.now() - 25 * HOUR_MS), 2);
  await expectFiring(
    [api, ...machines],
    [
      ...['BackupOld', 'CertificateExpires', 'DatabasePoolFull', 'ImportsWait', 'KeysExpire', 'PartDegraded'],
      ...['WebhookFails', 'WebhooksWait', 'WorkersAbsent'],
    ],
  );
});

test.runIf(hasPrograms && canMount)('the alert on a full disk fires', async () => {
  const image = path.join(inject('scratch'), randomUUID());
  const ownNumbers = ['unshare', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];
  const prefix = [...ownNumbers, 'sh', '-c', ON_A_FULL_DISK, image];
  const text = await scrapeNodeExporter(nodeExporter ?? '', new Date(), prefix);
  await expectFiring([{ instance: 'node', text }], ['DiskFull', 'WorkersAbsent']);
});

/** A worker has called a webhook in vain; since it has stopped another change waits. A key in use expires. */
async function failCalls(app: TestApp, vendor: TestOrganization): Promise<void> {
  const worker = await runWorker(app.config, app.api.log);
  const receiver = await startReceiver((_call, response) => response.writeHead(500).end());
  const { moduleId } = await makeModule(app, vendor);
  await makeWebhook(app, vendor, receiver.url, {}, moduleId);
  await useExpiringKey(app, vendor, moduleId);
  const { database } = app.api;
  const failing = () => database('webhooks').whereNotNull('failingSince');
  await makeChanges(app, moduleId, 1);
  await expect.poll(failing).toHaveLength(1);
  await worker.stop();
  await makeChanges(app, moduleId, 1);
  await sequenceChanges(database);
  await database('webhooks').update({ failingSince: new Date(Date.now() - 2 * DAY_MS) });
  await database('changes').update({ at: new Date(Date.now() - HOUR_MS) });
}

async function useExpiringKey(app: TestApp, vendor: TestOrganization, moduleId: string): Promise<void> {
  const expiresOn = new Date(Date.now() + 2 * DAY_MS).toISOString();
  const { body } = await app.as(vendor).post(`/registerApiClient/${moduleId}`, { expiresOn });
  const module = { vendor, moduleId, key: String(body.clientSecret) };
  expect((await app.as(module).get('/StructuresByModuleId')).status).toBe(200);
  await app.api.apiKeys.flush();
}

async function queueImport(app: TestApp, vendor: TestOrganization): Promise<void> {
  const headers = { Prefer: 'respond-async' };
  const zip = samplePackage(app.api.catalogue);
  expect((await app.importPackage(vendor, zip, { headers })).status).toBe(202);
  const queuedAt = new Date(Date.now() - HOUR_MS);
  await app.api.database('imports').where({ status: 'queued' }).update({ queuedAt });
}

/** The metrics of the API while a request waits for a connection: one caller uses at most half of them. */
async function metricsOfFullPool({ api, config, adminUrl }: TestApp): Promise<Scraped> {
  const half = Array.from({ length: config.database.poolSize / 2 }, () => api.database.transaction());
  const held = await Promise.all(half);
  const waiting = Promise.all([api.database.raw('select 1')]);
  const scraped = await metricsAt('api', adminUrl);
  await Promise.all(held.map((transaction) => transaction.rollback()));
  await waiting;
  return scraped;
}
