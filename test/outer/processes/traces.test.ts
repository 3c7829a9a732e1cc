import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findImport } from '../../../shared/db/imports/imports.ts';
import { samplePackage } from '../../support/sample-package.ts';
import { compileService, startServiceProcess, type ServiceProcess } from '../../support/service-process.ts';
import { packageForm } from '../../support/package-form.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../../support/test-app.ts';
import { startTraceReceiver, type ReceivedSpan, type TraceReceiver } from '../../support/trace-receiver.ts';

const SERVER = 2;
const CLIENT = 3;
const PRODUCER = 4;
const CONSUMER = 5;
const ERROR = 2;

const UPLOAD = 'POST /api/v8.0/:orgId/ImportModuleAsync';

/** Prepares database and organizations; the requests go to separate processes. */
let app: TestApp;
let vendor: TestOrganization;
let receiver: TraceReceiver;
let api: ServiceProcess;
let worker: ServiceProcess;

beforeAll(async () => {
  compileService();
  [app, receiver] = await Promise.all([startTestApp({ worker: false }), startTraceReceiver()]);
  vendor = await app.organization();
  const environment = {
    ...app.environment,
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  [api, worker] = await Promise.all([
    startServiceProcess('api', environment),
    startServiceProcess('worker', environment),
  ]);
}, 600_000);

afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()]);
  await Promise.all([app.stop(), receiver.stop()]);
}, 60_000);

interface Uploaded {
  readonly traceId: string;
  readonly importId: string;
  readonly status: number;
}

async function upload(zip: Buffer, headers: Record<string, string> = {}): Promise<Uploaded> {
  const answer = await fetch(
    `http://127.0.0.1:${api.ready.listening ?? 0}/api/v8.0/${vendor.id}/ImportModuleAsync`,
    { method: 'POST', headers: { Authorization: vendor.admin, ...headers }, body: packageForm(zip) },
  );
  const { importId } = (await answer.json()) as { importId: string };
  return { importId, status: answer.status, traceId: answer.headers.get('x-trace-id') ?? '' };
}

/** The spans of a trace, once this many have arrived. */
async function spansOf(traceId: string, count: number): Promise<readonly ReceivedSpan[]> {
  const received = () => receiver.spans.filter((span) => span.traceId === traceId);
  await expect.poll(() => received().map(({ name }) => name), { timeout: 30_000 }).toHaveLength(count);
  return received();
}

/** Each span as `service: its parents' names / its own`. */
function ways(spans: readonly ReceivedSpan[]): string[] {
  const way = (span: ReceivedSpan): string => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return parent === undefined ? span.name : `${way(parent)} / ${span.name}`;
  };
  return spans.map((span) => `${span.service}: ${way(span)}`).toSorted();
}

function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const span = spans.find((each) => each.name === name);
  if (span === undefined) throw new Error(`no span ${name}`);
  return span;
}

test('an import is one trace from upload to commit, over two processes, every span below its parent', async () => {
  const { traceId, importId, status } = await upload(samplePackage(app.api.catalogue));
  expect(status).toBe(200);
  const spans = await spansOf(traceId, 10);
  expect(ways(spans)).toEqual(
    [
      `module-import-api: ${UPLOAD}`,
      `module-import-api: ${UPLOAD} / store upload`,
      `module-import-api: ${UPLOAD} / write import row`,
      `module-import-api: ${UPLOAD} / queue import`,
      `module-import-worker: ${UPLOAD} / wait in queue`,
      `module-import-worker: ${UPLOAD} / import module`,
      `module-import-worker: ${UPLOAD} / import module / reading`,
      `module-import-worker: ${UPLOAD} / import module / checking`,
      `module-import-worker: ${UPLOAD} / import module / writing`,
      `module-import-worker: ${UPLOAD} / import module / writing / commit import`,
    ].toSorted(),
  );
  const kinds = [UPLOAD, 'queue import', 'import module', 'commit import'].map(
    (name) => named(spans, name).kind,
  );
  expect(kinds).toEqual([SERVER, PRODUCER, CONSUMER, CLIENT]);
  expect(named(spans, UPLOAD)).toMatchObject({ parentSpanId: '', statusCode: 0 });
  expect(named(spans, 'import module').attributes).toMatchObject({
    'import.id': importId,
    'import.status': 'succeeded',
    'import.outcome': 'created',
  });
  for (const { startNs, endNs, name } of spans) expect(endNs >= startNs, name).toBe(true);
  expect(receiver.strays).toEqual([]);
});

test('the service continues the trace of a caller: with its ID, and its span as the parent', async () => {
  const [callersTrace, callersSpan] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const { traceId } = await upload(samplePackage(app.api.catalogue), {
    traceparent: `00-${callersTrace}-${callersSpan}-01`,
  });
  expect(traceId).toBe(callersTrace);
  const spans = await spansOf(callersTrace, 10);
  expect(named(spans, UPLOAD).parentSpanId).toBe(callersSpan);
});

test("a caller's decision not to record is respected: no span is sent, and its ID is used", async () => {
  const unsampled = randomBytes(16).toString('hex');
  const { traceId, importId } = await upload(samplePackage(app.api.catalogue), {
    traceparent: `00-${unsampled}-${randomBytes(8).toString('hex')}-00`,
  });
  expect(traceId).toBe(unsampled);
  // Later uploads have been sent, so earlier ones would have been sent too.
  await spansOf((await upload(samplePackage(app.api.catalogue))).traceId, 10);
  expect(receiver.spans.filter((span) => span.traceId === unsampled)).toEqual([]);
  expect((await findImport(app.api.database, vendor.id, importId))?.traceParent).toMatch(
    new RegExp(`^00-${unsampled}-[0-9a-f]{16}-00$`),
  );
});

test('a rejected package is not an error of the trace; the problem document contains the ID', async () => {
  const zip = samplePackage(app.api.catalogue, { files: { 'Attic/old.txt': 'x' } });
  const { traceId, status } = await upload(zip);
  expect(status).toBe(400);
  const spans = await spansOf(traceId, 10);
  expect(spans.filter(({ statusCode }) => statusCode === ERROR)).toEqual([]);
  expect(named(spans, 'import module').attributes).toMatchObject({ 'import.status': 'rejected' });
  expect(named(spans, UPLOAD).attributes).toMatchObject({ 'http.response.status_code': 400 });
});

test('a refused request returns the ID of its trace', async () => {
  const answer = await fetch(`http://127.0.0.1:${api.ready.listening ?? 0}/api/v8.0/nothing`);
  const { traceId } = (await answer.json()) as { traceId: string };
  const spans = await spansOf(traceId, 1);
  expect(spans[0]).toMatchObject({ name: 'GET /api/v8.0/*', kind: SERVER });
});

test('logs of API and worker contain the IDs of the spans and of the import', async () => {
  const { traceId, importId } = await upload(samplePackage(app.api.catalogue));
  const spans = await spansOf(traceId, 10);
  const line = (from: ServiceProcess, text: string) =>
    from.log().find(({ msg, importId: id }) => msg === text && id === importId);
  await expect.poll(() => line(worker, 'import attempt ended'), { timeout: 30_000 }).toBeDefined();
  expect(line(api, 'import accepted')).toMatchObject({ traceId, spanId: named(spans, UPLOAD).spanId });
  expect(line(worker, 'import attempt ended')).toMatchObject({
    traceId,
    spanId: named(spans, 'import module').spanId,
  });
});

test('no span contains an organization, a token or a file name', async () => {
  await upload(samplePackage(app.api.catalogue));
  const text = receiver.spans.map((span) => JSON.stringify({ ...span, startNs: 0, endNs: 0 })).join('\n');
  expect(text).not.toBe('');
  for (const secret of [vendor.id, vendor.admin.slice(7), 'package.zip']) expect(text).not.toContain(secret);
});
