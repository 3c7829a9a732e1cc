import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningWorker } from '../../worker/run-worker.ts';
import { makeModule } from '../support/machine-access.ts';
import type { TestModule } from '../support/caller.ts';
import { countedBetween, metricNames, parseMetrics, type MetricValues } from '../support/metric-values.ts';
import { samplePackage } from '../support/sample-package.ts';
import { answerOf } from '../support/answer-of.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

const IMPORT = 'http_request_duration_seconds_count{method="POST",route="/api/v8.0/:orgId/ImportModuleAsync"';
const STRUCTURES =
  'http_request_duration_seconds_count{method="GET",route="/api/v8.0/Alerts/StructuresByModuleId/:moduleId"';

/** A busy machine may need long. */
const PATIENT = { timeout: 30_000 };

let app: TestApp;
let worker: RunningWorker;
let vendor: TestOrganization;
let module: TestModule;

beforeAll(async () => {
  app = await startTestApp({ settings: { ADMIN_PORT: '0' }, worker: false });
  worker = await app.startWorker();
  vendor = await app.organization();
  module = await makeModule(app, vendor);
});

afterAll(() => app.stop());

const workerUrl = () => `http://127.0.0.1:${worker.adminPort ?? 0}/metrics`;

async function readAll(): Promise<{ text: string; values: MetricValues }> {
  const answers = [await app.fetch(`${app.adminUrl}/metrics`), await answerOf(fetch(workerUrl()))];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const text = answers.map((answer) => answer.text).join('');
  return { text, values: parseMetrics(text) };
}

/** The counters that change while something runs. Reading metrics counts too, and the sweep runs at any time: both are excluded. */
async function countedBy(act: () => Promise<unknown>, expected: Readonly<Record<string, number>>) {
  const isOurs = ([series]: [string, number]) =>
    !/route="\/metrics"|^worker_scheduled_task_runs_total/.test(series);
  const { values: before } = await readAll();
  await act();
  // A request is counted when its answer has been sent, which may be after the client has received it.
  await expect
    .poll(async () => {
      const counted = countedBetween(before, (await readAll()).values);
      return Object.fromEntries(Object.entries(counted).filter(isOurs));
    }, PATIENT)
    .toEqual(expected);
}

test('an import that creates a module changes exactly its counters', async () => {
  const zip = samplePackage(app.api.catalogue);
  await countedBy(
    async () => {
      expect((await app.importPackage(vendor, zip)).status).toBe(200);
    },
    {
      [`${IMPORT},status="2xx"}`]: 1,
      'imports_accepted_total{kind="new"}': 1,
      import_upload_bytes_total: zip.length,
      'import_upload_duration_seconds_count{result="stored"}': 1,
      'imports_ended_total{status="succeeded",outcome="created"}': 1,
      'import_attempt_duration_seconds_count{result="ended"}': 1,
      'import_step_duration_seconds_count{step="reading"}': 1,
      'import_step_duration_seconds_count{step="checking"}': 1,
      'import_step_duration_seconds_count{step="writing"}': 1,
      import_queue_wait_seconds_count: 1,
    },
  );
});

test('a rejected package is counted as rejected, and not stored', async () => {
  const zip = samplePackage(app.api.catalogue, { files: { 'Attic/old.txt': 'x' } });
  await countedBy(
    async () => {
      expect((await app.importPackage(vendor, zip)).status).toBe(400);
    },
    {
      [`${IMPORT},status="4xx"}`]: 1,
      'imports_accepted_total{kind="new"}': 1,
      import_upload_bytes_total: zip.length,
      'import_upload_duration_seconds_count{result="stored"}': 1,
      'imports_ended_total{status="rejected",outcome="none"}': 1,
      'import_attempt_duration_seconds_count{result="ended"}': 1,
      'import_step_duration_seconds_count{step="reading"}': 1,
      'import_step_duration_seconds_count{step="checking"}': 1,
      'import_step_duration_seconds_count{step="writing"}': 1,
      import_queue_wait_seconds_count: 1,
    },
  );
});

test('a refused upload does not become an import', async () => {
  const send = () =>
    app.fetch(`/api/v8.0/${vendor.id}/ImportModuleAsync`, {
      method: 'POST',
      headers: { Authorization: vendor.admin },
      body: 'not a form',
    });
  await countedBy(
    async () => {
      expect((await send()).status).toBe(400);
    },
    {
      [`${IMPORT},status="4xx"}`]: 1,
      'import_upload_duration_seconds_count{result="refused"}': 1,
    },
  );
});

test('a client that reads a refusal and leaves before its body is sent is counted by the status', async () => {
  await countedBy(
    async () => {
      const upload = http.request(new URL(`/api/v8.0/${vendor.id}/ImportModuleAsync`, app.url), {
        method: 'POST',
        headers: { Authorization: vendor.admin, 'Content-Length': 1_000 },
      });
      upload.write('not a form');
      const [answer] = (await once(upload, 'response')) as [http.IncomingMessage];
      expect(answer.statusCode).toBe(400);
      expect(await textOf(answer)).toMatch(/^\{.*\}$/);
      upload.on('error', () => undefined).destroy();
    },
    {
      [`${IMPORT},status="4xx"}`]: 1,
      'import_upload_duration_seconds_count{result="refused"}': 1,
    },
  );
});

test('an accepted and a refused key are counted separately, and each call by its route', async () => {
  const read = async () => {
    expect((await app.as(module).get('/StructuresByModuleId')).status).toBe(200);
    expect((await app.as({ ...module, key: 'mmk_bad' }).get('/StructuresByModuleId')).status).toBe(401);
  };
  await countedBy(read, {
    [`${STRUCTURES},status="2xx"}`]: 1,
    [`${STRUCTURES},status="4xx"}`]: 1,
    'api_key_check_duration_seconds_count{result="accepted"}': 1,
    'api_key_check_duration_seconds_count{result="refused"}': 1,
  });
});

test('addresses without a route, in any letter case, are one series for each prefix', async () => {
  const paths = ['/x1', '/X2', '/API/v8.0/x/y/z/3', '/api/V8.0/x/y/z/4', '/Problems/a/b'];
  const request = async () => {
    for (const path of paths) expect((await app.fetch(path)).status).toBe(404);
  };
  const of = (route: string) =>
    `http_request_duration_seconds_count{method="GET",route="${route}",status="4xx"}`;
  await countedBy(request, { [of('/*')]: 3, [of('/api/v8.0/*')]: 2 });
});

test('no metric contains an organization, a module, an import or a key', async () => {
  const { text } = await readAll();
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/i);
  for (const secret of [vendor.id, module.moduleId, module.key, 'mmk_']) expect(text).not.toContain(secret);
});

test('pools, event loop and process are reported', async () => {
  const { values, text } = await readAll();
  expect(values.get('database_pool_max_connections{pool="main"}')).toBe(10);
  expect(values.get('database_pool_max_connections{pool="structures"}')).toBe(8);
  expect(values.get('database_pool_max_connections{pool="asynchronous-commit"}')).toBe(4);
  // Work in the background, and the reading of other metrics, may wait for a connection that is being opened.
  await expect
    .poll(async () => (await readAll()).values.get('database_pool_connections{pool="main",state="pending"}'))
    .toBe(0);
  expect([...metricNames(text)]).toEqual(
    expect.arrayContaining(['nodejs_eventloop_lag_p99_seconds', 'process_cpu_seconds_total']),
  );
});

test('every limit that organizations share is reported, with its slots and with what waits', async () => {
  const { values } = await readAll();
  const limits = [
    ...[
      ['uploads', 128],
      ['exports', 8],
      ['downloads', 64],
      ['event streams', 1_000],
    ],
    ...[
      ['structure streams', 8],
      ['KiB of JSON bodies', 64 * 1_024],
      ['JSON threads', 2],
      ['file threads', 2],
    ],
  ] as const;
  for (const [limit, max] of limits) {
    expect(values.get(`limit_max_slots{limit="${limit}"}`), limit).toBe(max);
    for (const state of ['used', 'waiting'])
      expect(values.get(`limit_slots{limit="${limit}",state="${state}"}`), `${limit} ${state}`).toBe(0);
  }
  for (const limit of ['arriving requests', 'event loop turns'])
    expect(values.get(`limit_slots{limit="${limit}",state="waiting"}`), limit).toBe(0);
});

test('a slot in use is reported until it is free', async () => {
  const used = async () => (await readAll()).values.get('limit_slots{limit="uploads",state="used"}');
  const free = app.api.imports.uploadSlots.takeNow(vendor.id);
  expect(await used()).toBe(1);
  free();
  expect(await used()).toBe(0);
});

test('waiting imports are reported with the age of the oldest, and jobs by their state', async () => {
  const other = await startTestApp({ worker: false });
  try {
    const organization = await other.organization();
    const zip = samplePackage(other.api.catalogue);
    for (const fileName of ['first', 'second']) {
      const headers = { Prefer: 'respond-async', 'Idempotency-Key': fileName };
      expect((await other.importPackage(organization, zip, { headers })).status).toBe(202);
    }
    await expect
      .poll(
        async () =>
          parseMetrics((await other.fetch('/metrics')).text).get('import_queue_oldest_waiting_seconds'),
        PATIENT,
      )
      .toBeGreaterThan(0);
    const values = parseMetrics((await other.fetch('/metrics')).text);
    expect(values.get('import_queue_rows{status="queued"}')).toBe(2);
    expect(values.get('import_queue_jobs{state="waiting"}')).toBe(2);
    expect(values.get('imports_accepted_total{kind="new"}')).toBe(2);
  } finally {
    await other.stop();
  }
});

test('through a proxy metrics are 403, and the answer says what to do', async () => {
  const init = { headers: { 'X-Forwarded-For': '192.0.2.1' } };
  for (const answer of [
    await app.fetch(`${app.adminUrl}/metrics`, init),
    await answerOf(fetch(workerUrl(), init)),
  ]) {
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('METRICS_TOKEN');
  }
});

test('with ADMIN_PORT the main port has probes without the parts, and no metrics', async () => {
  expect((await app.fetch('/livez')).body).toEqual({ status: 'ok' });
  expect((await app.fetch('/readyz')).body).toEqual({ status: 'ok' });
  expect((await fetch(`${app.url}/metrics`)).status).toBe(404);
  expect((await app.fetch(`${app.adminUrl}/readyz`)).body).toMatchObject({ parts: { database: 'ok' } });
  expect((await app.fetch(`${app.adminUrl}/livez`)).status).toBe(200);
  expect((await fetch(`${app.adminUrl}/docs`)).status).toBe(404);
});

test('a worker listens only for probes and metrics', async () => {
  for (const probe of ['/livez', '/readyz']) {
    const answer = await answerOf(fetch(workerUrl().replace('/metrics', probe)));
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
  }
  expect((await fetch(workerUrl().replace('/metrics', '/'))).status).toBe(404);
  expect((await fetch(workerUrl(), { method: 'POST' })).status).toBe(405);
  expect((await app.fetch(`${app.adminUrl}/metrics`, { method: 'POST' })).status).toBe(405);
});

test('with a token set, only its bearer can read metrics, from any address', async () => {
  const token = randomUUID();
  const guarded = await startTestApp({
    settings: { METRICS_TOKEN: token, ADMIN_PORT: '0' },
    worker: false,
  });
  try {
    const { adminPort } = await guarded.startWorker();
    const ofWorker = `http://127.0.0.1:${adminPort ?? 0}/metrics`;
    const readers = [
      (init: RequestInit) => guarded.fetch(`${guarded.adminUrl}/metrics`, init),
      (init: RequestInit) => answerOf(fetch(ofWorker, init)),
    ];
    for (const read of readers) {
      const request = async (headers: Record<string, string>) => (await read({ headers })).status;
      expect(await request({})).toBe(401);
      expect(await request({ Authorization: `Bearer ${token}x` })).toBe(401);
      expect(await request({ Authorization: `Bearer ${token}`, 'X-Forwarded-For': '192.0.2.1' })).toBe(200);
    }
  } finally {
    await guarded.stop();
  }
});
