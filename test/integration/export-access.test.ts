import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { exportModule, exportPath } from '../support/export-module.ts';
import { importSample } from '../support/import-sample.ts';
import type { SampleOptions } from '../support/sample-package.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { exportsInAuditLog } from '../support/audited-exports.ts';

const BUILD = 'PackageArtifact/build';
/** An ID that no module has. */
const NO_MODULE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

let app: TestApp;
let vendor: TestOrganization;
let moduleId: string;

beforeAll(async () => {
  app = await startTestApp();
});

async function newModule(): Promise<void> {
  vendor = await app.organization();
  moduleId = await importModule();
}

afterAll(() => app.stop());

const importModule = (options?: SampleOptions) => importSample(app, vendor, options);

interface Refusal {
  readonly as?: string | null;
  readonly query?: string;
  readonly method?: string;
}

/** Status and code of a refused call, which must not appear in the audit log. */
async function refusal(
  id: string,
  { as = vendor.admin, query, method = 'GET' }: Refusal = {},
): Promise<[number, string]> {
  const { status, body, headers } = await app.fetch(exportPath(vendor, id, query), {
    method,
    headers: as === null ? {} : { Authorization: as },
  });
  expect(headers.get('etag')).toBeNull();
  expect(headers.get('content-disposition')).toBeNull();
  expect(await exportsInAuditLog(app, vendor)).toEqual([]);
  return [status, String(body.type).replace('/problems/', '')];
}

describe('who may export', () => {
  beforeAll(newModule);

  test('without a token: 401', async () => {
    expect(await refusal(moduleId, { as: null })).toEqual([401, 'auth-token-invalid']);
  });

  test('a member who is not an administrator: 403, because an export contains the values of environment variables', async () => {
    expect(await refusal(moduleId, { as: vendor.member })).toEqual([403, 'auth-forbidden']);
  });

  test('an administrator of another organization: 403, even if the module does not exist', async () => {
    const stranger = (await app.organization()).admin;
    for (const id of [moduleId, NO_MODULE, 'no-guid'])
      expect(await refusal(id, { as: stranger, query: '?revision=x' })).toEqual([403, 'auth-forbidden']);
  });

  test('an operator who is not a member: 403', async () => {
    const as = await app.bearer({ operator: true });
    expect(await refusal(moduleId, { as })).toEqual([403, 'auth-forbidden']);
  });

  test('a farmer organization: 403', async () => {
    const farmer = await app.organization({ kind: 'farmer' });
    const { status, bytes } = await exportModule(app, farmer, moduleId);
    expect([status, bytes.toString()]).toEqual([403, expect.stringContaining('auth-forbidden')]);
  });

  test("another organization's module is 404, with the same body as an unknown module", async () => {
    const stranger = await app.organization();
    const refusal = async (id: string) => {
      const { status, bytes } = await exportModule(app, stranger, id);
      const { type, detail } = JSON.parse(bytes.toString()) as Record<string, string>;
      return [status, type, detail];
    };
    expect(await refusal(moduleId)).toEqual(await refusal(NO_MODULE));
    expect((await refusal(moduleId))[0]).toBe(404);
  });
});

describe('what is refused', () => {
  beforeAll(newModule);

  test('an unknown module or revision: 404', async () => {
    expect(await refusal(NO_MODULE)).toEqual([404, 'not-found']);
    expect(await refusal(moduleId, { query: '?revision=2' })).toEqual([404, 'not-found']);
    expect(await refusal(NO_MODULE, { query: '?revision=1' })).toEqual([404, 'not-found']);
  });

  test('a deleted module and its older revisions: 404', async () => {
    const moduleId = await importModule();
    await app.as(vendor).delete(`/modules/${moduleId}`);
    for (const query of ['', '?revision=1', '?asNew=true'])
      expect(await refusal(moduleId, { query })).toEqual([404, 'not-found']);
  });

  test.each([
    '?revision=',
    '?revision=0',
    '?revision=-1',
    '?revision=1.5',
    '?revision=one',
    '?revision=99999999999',
    '?revision=1&revision=1',
    '?asNew=',
    '?asNew=yes',
    '?asNew=TRUE',
    '?asNew=true&asNew=true',
  ])('%s is 400, and the answer names it', async (query) => {
    expect(await refusal(moduleId, { query })).toEqual([400, 'request-invalid']);
    const { bytes } = await exportModule(app, vendor, moduleId, { query });
    expect(bytes.toString()).toContain(`"detail":"${/\w+/.exec(query)?.[0] ?? ''} must be`);
  });

  test('an ID that is not a GUID: 400; another method: 405', async () => {
    expect(await refusal('no-guid')).toEqual([400, 'request-invalid']);
    expect(await refusal(moduleId, { method: 'POST' })).toEqual([405, 'method-not-allowed']);
  });
});

describe('headers', () => {
  beforeEach(newModule);

  test('an export is an attachment with a length, a type and a strong ETag, not for shared caches', async () => {
    const { status, headers, bytes } = await exportModule(app, vendor, moduleId.toUpperCase());
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="${moduleId}-revision-1.zip"; filename*=UTF-8''${moduleId}-revision-1.zip`,
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[\w-]{43}"$/) as unknown,
    });
  });

  test('HEAD has the headers of GET and no body, and is not recorded as an export', async () => {
    const head = await exportModule(app, vendor, moduleId, { method: 'HEAD' });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(await exportsInAuditLog(app, vendor)).toEqual([]);
    const get = await exportModule(app, vendor, moduleId);
    const exportHeaders = ({ headers }: typeof get) =>
      [...headers].filter(([name]) => !['date', 'x-trace-id', 'connection', 'keep-alive'].includes(name));
    expect(exportHeaders(head)).toEqual(exportHeaders(get));
  });

  test('a matching If-None-Match is 304 without a body, and is not recorded as an export', async () => {
    const etag = (await exportModule(app, vendor, moduleId, { method: 'HEAD' })).headers.get('etag') ?? '';
    for (const method of ['GET', 'HEAD'])
      for (const known of [etag, `"other", ${etag}`, '*']) {
        const answer = await exportModule(app, vendor, moduleId, {
          method,
          headers: { 'If-None-Match': known },
        });
        expect([answer.status, answer.bytes.length, answer.headers.get('etag')]).toEqual([304, 0, etag]);
      }
    expect(await exportsInAuditLog(app, vendor)).toEqual([]);
    const other = await exportModule(app, vendor, moduleId, { headers: { 'If-None-Match': '"other"' } });
    expect(other.status).toBe(200);
  });

  test('the ETag differs for another revision and for asNew, and is equal for equal bytes', async () => {
    const index = (text: string) => ({
      descriptor: { moduleId },
      files: { [`${BUILD}/index.html`]: text },
    });
    await importModule(index('two'));
    await importModule(index('three'));
    await importModule(index('two'));
    const tag = async (query: string) =>
      (await exportModule(app, vendor, moduleId, { query, method: 'HEAD' })).headers.get('etag');
    expect(await tag('')).toBe(await tag('?revision=4'));
    expect(await tag('')).toBe(await tag('?revision=2'));
    const tags = ['?revision=1', '?revision=2', '?revision=3', '?asNew=true', '?revision=1&asNew=true'].map(
      tag,
    );
    expect(new Set(await Promise.all(tags)).size).toBe(5);
  });
});

test('each export is in the audit log, with the user and the trace', async () => {
  await newModule();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  await exportModule(app, vendor, moduleId, { headers });
  await exportModule(app, vendor, moduleId, { query: '?revision=1&asNew=true' });
  const [second, first, ...rest] = await exportsInAuditLog(app, vendor);
  expect(first).toMatchObject({ actor: 'tester', moduleId, traceId });
  expect(second).toMatchObject({ actor: 'tester', moduleId });
  expect(rest).toEqual([]);
});
