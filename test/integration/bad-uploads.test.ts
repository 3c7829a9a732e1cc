import { randomBytes, randomUUID } from 'node:crypto';
import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { samplePackage } from '../support/sample-package.ts';
import { packageForm } from '../support/package-form.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';

const MAX_BYTES = 1_000_000;

let app: TestApp;
let vendor: TestOrganization;

beforeAll(async () => {
  app = await startTestApp({ settings: { MAX_PACKAGE_BYTES: String(MAX_BYTES) } });
  vendor = await app.organization();
});

afterAll(() => app.stop());

function post(
  body: NonNullable<RequestInit['body']> | null,
  headers: Record<string, string> = {},
  orgId = vendor.id,
): Promise<Answer> {
  return app.fetch(`/api/v8.0/${orgId}/ImportModuleAsync`, {
    method: 'POST',
    headers: { Authorization: vendor.admin, ...headers },
    body,
  });
}

/** What uploads leave: the IDs of imports, and the keys of objects. */
async function leftByUploads(): Promise<ReadonlySet<string>> {
  const left = new Set<string>(await app.api.database('imports').pluck('id'));
  for await (const { key } of app.api.storage.list('packages/')) left.add(key);
  return left;
}

/** What uploads have left since; what earlier ones left may be removed meanwhile. */
async function leftSince(before: ReadonlySet<string>): Promise<string[]> {
  return [...(await leftByUploads())].filter((each) => !before.has(each));
}

/** Runs a request and checks that it left neither a row nor an object. */
async function leavingNothing(request: () => Promise<Answer>): Promise<Answer> {
  const before = await leftByUploads();
  const answer = await request();
  expect(await leftSince(before)).toEqual([]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  return answer;
}

const zip = () => samplePackage(app.api.catalogue);

test('a body that is not multipart is refused', async () => {
  const answer = await leavingNothing(() =>
    post(new Uint8Array(zip()), { 'Content-Type': 'application/zip' }),
  );
  expect(answer).toMatchObject({ status: 400, body: { type: '/problems/request-file-missing' } });
});

test('a form whose Content-Type was set by hand, without a boundary, is refused with what to do', async () => {
  const answer = await leavingNothing(() => post('--x--', { 'Content-Type': 'multipart/form-data' }));
  expect(answer).toMatchObject({ status: 400, body: { type: '/problems/request-file-missing' } });
  expect(answer.body.detail).toContain('Let the HTTP client set the Content-Type');
});

test('a request without a body is refused', async () => {
  expect(await leavingNothing(() => post(null))).toMatchObject({
    status: 400,
    body: { type: '/problems/request-file-missing' },
  });
});

test('a multipart body without a field is refused', async () => {
  const answer = await leavingNothing(() =>
    post('--x--\r\n', { 'Content-Type': 'multipart/form-data; boundary=x' }),
  );
  expect(answer.status).toBe(400);
});

test('two files are refused', async () => {
  const form = packageForm(zip());
  form.append('file', new Blob([new Uint8Array(zip())]), 'second.zip');
  const answer = await leavingNothing(() => post(form));
  expect(answer).toMatchObject({ status: 400, body: { type: '/problems/request-file-missing' } });
});

test('a file in another field is refused, and the field is named', async () => {
  const answer = await leavingNothing(() => post(packageForm(zip(), 'a.zip', 'package')));
  expect(answer.status).toBe(400);
  expect(answer.body.detail).toContain('"package"');
});

test('text in the field file is refused with the hint that the @ is missing', async () => {
  const form = new FormData();
  form.set('file', 'package.zip');
  expect((await leavingNothing(() => post(form))).body.detail).toContain('@');
});

test('a part without a filename is refused as such, however large it is', async () => {
  const head = '--x\r\nContent-Disposition: form-data; name=file\r\n\r\n';
  for (const content of [zip(), randomBytes(200_000)]) {
    const body = Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--x--\r\n')]);
    const answer = await leavingNothing(() =>
      post(new Uint8Array(body), { 'Content-Type': 'multipart/form-data; boundary=x' }),
    );
    expect(answer).toMatchObject({ status: 400, body: { type: '/problems/request-file-missing' } });
    expect(answer.body.detail).toContain('has no filename in its Content-Disposition');
    expect(answer.body.detail).toContain('With .NET');
  }
});

test('a part of raw bytes needs no filename', async () => {
  const head =
    '--x\r\nContent-Disposition: form-data; name=file\r\nContent-Type: application/octet-stream\r\n\r\n';
  const body = Buffer.concat([Buffer.from(head), zip(), Buffer.from('\r\n--x--\r\n')]);
  const answer = await post(new Uint8Array(body), { 'Content-Type': 'multipart/form-data; boundary=x' });
  expect(answer.status).toBe(200);
});

test('an empty file is refused', async () => {
  expect((await leavingNothing(() => post(packageForm(Buffer.alloc(0))))).status).toBe(400);
});

test('a file that is not a ZIP is rejected by its content, whatever its name', async () => {
  const answer = await post(
    packageForm(Buffer.from('this is no archive, but it is long enough to be one'), 'module.zip'),
  );
  expect(answer).toMatchObject({
    status: 400,
    body: { type: '/problems/import-rejected', errors: [{ code: 'archive-unreadable' }] },
  });
});

test('a ZIP of any name is accepted', async () => {
  expect((await post(packageForm(zip(), 'module.dat'))).status).toBe(200);
});

test('a package over the limit is 413', async () => {
  const answer = await leavingNothing(() => post(packageForm(randomBytes(MAX_BYTES + 200_000))));
  expect(answer).toMatchObject({ status: 413, body: { type: '/problems/request-too-large' } });
});

/** Sends a request with a hand-written body; resolves with the answer's status, however much of the body was sent. */
function rawUpload(
  write: (request: http.ClientRequest) => void,
  headers: Record<string, string> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${app.url}/api/v8.0/${vendor.id}/ImportModuleAsync`, {
      method: 'POST',
      headers: { Authorization: vendor.admin, 'Content-Type': 'multipart/form-data; boundary=x', ...headers },
    });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    write(request);
  });
}

const PART = '--x\r\nContent-Disposition: form-data; name="file"; filename="p.zip"\r\n\r\n';

test('a package over the limit is answered before the rest of it is sent', async () => {
  const status = await rawUpload((request) => {
    request.write(PART);
    // The body never ends, so only an early answer can arrive.
    request.write(randomBytes(MAX_BYTES + 1_000));
  });
  expect(status).toBe(413);
});

test('a declared length over the limit is answered before the body is sent', async () => {
  const status = await rawUpload((request) => request.flushHeaders(), {
    'Content-Length': String(MAX_BYTES * 3),
  });
  expect(status).toBe(413);
});

test('a client that sends Expect: 100-continue gets 401 for a bad token before it sends the body', async () => {
  const status = await rawUpload((request) => request.flushHeaders(), {
    Authorization: 'Bearer no',
    Expect: '100-continue',
  });
  expect(status).toBe(401);
});

test('a client that sends Expect: 100-continue gets 100 Continue', async () => {
  const isContinued = await new Promise<boolean>((resolve) => {
    void rawUpload(
      (request) => {
        request.on('continue', () => {
          resolve(true);
          request.destroy();
        });
        request.flushHeaders();
      },
      { Expect: '100-continue' },
    ).then(
      () => resolve(false),
      () => undefined,
    );
  });
  expect(isContinued).toBe(true);
});

test('an upload that is interrupted half-way leaves no import and no object', async () => {
  const before = await leftByUploads();
  await rawUpload((request) => {
    request.write(PART);
    request.write(randomBytes(100_000), () => setTimeout(() => request.destroy(), 50));
  }).catch(() => undefined);
  await expect.poll(() => leftSince(before)).toEqual([]);
});

test('a body that ends inside its part is refused', async () => {
  const answer = await leavingNothing(() =>
    post(`${PART}half`, { 'Content-Type': 'multipart/form-data; boundary=x' }),
  );
  expect(answer.status).toBe(400);
});

test('an orgId that is not a GUID is 400', async () => {
  expect((await leavingNothing(() => post(packageForm(zip()), {}, 'mine'))).status).toBe(400);
});

test('another organization is 403, even if it does not exist', async () => {
  const other = await app.organization();
  expect((await leavingNothing(() => post(packageForm(zip()), {}, other.id))).status).toBe(403);
  expect((await leavingNothing(() => post(packageForm(zip()), {}, randomUUID()))).status).toBe(403);
});

test('an organization of the token that was never created is 404', async () => {
  const id = randomUUID();
  const Authorization = await app.bearer({ organizations: [{ id, roles: ['OrganizationAdmin'] }] });
  expect((await leavingNothing(() => post(packageForm(zip()), { Authorization }, id))).status).toBe(404);
});

test('a member who is not an administrator cannot import', async () => {
  expect(
    (await leavingNothing(() => post(packageForm(zip()), { Authorization: vendor.member }))).status,
  ).toBe(403);
});

test('a farmer organization cannot import', async () => {
  const farmer = await app.organization({ kind: 'farmer' });
  const answer = await leavingNothing(() =>
    post(packageForm(zip()), { Authorization: farmer.admin }, farmer.id),
  );
  expect(answer).toMatchObject({ status: 403, body: { type: '/problems/auth-forbidden' } });
});

test.each([
  ['no token', {}],
  ['an empty token', { Authorization: 'Bearer ' }],
  ['a malformed token', { Authorization: 'Bearer abc.def.ghi' }],
  ['another scheme', { Authorization: 'Basic dXNlcjpwYXNz' }],
])('%s is 401 with WWW-Authenticate', async (_name, headers) => {
  const answer = await leavingNothing(() =>
    app.fetch(`/api/v8.0/${vendor.id}/ImportModuleAsync`, {
      method: 'POST',
      headers,
      body: packageForm(zip()),
    }),
  );
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
});

test.each([
  ['expired', { expiresIn: -120 }],
  ['of another audience', { audience: 'another-service' }],
  ['of another issuer', { issuer: 'http://127.0.0.1:1' }],
])('a token that is %s is 401', async (_name, claims) => {
  const Authorization = await app.bearer({
    organizations: [{ id: vendor.id, roles: ['OrganizationAdmin'] }],
    ...claims,
  });
  expect((await leavingNothing(() => post(packageForm(zip()), { Authorization }))).status).toBe(401);
});

test('an unsigned token is 401', async () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iss: app.issuer.url,
    aud: 'module-import-service',
    exp: 4e9,
    organizations: [{ id: vendor.id, roles: ['OrganizationAdmin'] }],
  };
  const Authorization = `Bearer ${part({ alg: 'none' })}.${part(claims)}.`;
  expect((await leavingNothing(() => post(packageForm(zip()), { Authorization }))).status).toBe(401);
});

test.each([
  ['?validateOnly=maybe', {}],
  ['', { 'If-Match': '3' }],
  ['', { 'Idempotency-Key': 'x'.repeat(256) }],
])('a malformed option is 400: %s %o', async (query, headers) => {
  const answer = await leavingNothing(() => app.importPackage(vendor, zip(), { query, headers }));
  expect(answer).toMatchObject({ status: 400, body: { type: '/problems/request-invalid' } });
});

test('another method is 405 with Allow', async () => {
  const answer = await app.fetch(`/api/v8.0/${vendor.id}/ImportModuleAsync`);
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('POST');
});

test('imports over the limit per minute are 429 with Retry-After', async () => {
  const small = await startTestApp({ settings: { MAX_IMPORTS_PER_MINUTE: '2' } });
  const organization = await small.organization();
  const statuses: number[] = [];
  for (let index = 0; index < 3; index += 1)
    statuses.push((await small.importPackage(organization, zip())).status);
  const last = await small.importPackage(organization, zip());
  await small.stop();
  expect(statuses).toEqual([200, 200, 429]);
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
});
