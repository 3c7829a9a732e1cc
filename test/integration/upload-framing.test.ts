import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ARCHIVES } from '../../shared/db/imports/archives.ts';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

/** Far less than the limit of a package: nothing here is refused for its size. */
const FRAMING_BYTES = 64 * 1024;
const FILE = '--x\r\nContent-Disposition: form-data; name="file"; filename="p.zip"\r\n\r\n';
const END = '\r\n--x--\r\n';

let app: TestApp;
let vendor: TestOrganization;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
});

afterAll(() => app.stop());

/** Sends a body without a length, and optionally ends it; resolves with the answer. */
async function sendChunked(pieces: readonly (string | Buffer)[], isEnded: boolean) {
  const request = http.request(`${app.url}/api/v8.0/${vendor.id}/ImportModuleAsync`, {
    method: 'POST',
    headers: { Authorization: vendor.admin, 'Content-Type': 'multipart/form-data; boundary=x' },
  });
  for (const piece of pieces) request.write(piece);
  if (isEnded) request.end();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return { status: response.statusCode, body: JSON.parse(await text(response)) as unknown };
}

async function storedKeys(): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of app.api.storage.list(ARCHIVES)) keys.push(key);
  return keys.toSorted();
}

const padding = (line: string, bytes: number) => line.repeat(Math.ceil(bytes / line.length));

test.each([
  ['a preamble', '', 'a'],
  ['a preamble of lines', '', 'line\r\n'],
  ['headers of a part', '--x\r\n', 'X-Padding: a\r\n'],
  ['one header of a part', '--x\r\nX-Padding: ', 'a'],
  ['text in a field', '--x\r\nContent-Disposition: form-data; name="note"\r\n\r\n', 'a'],
  ['a part without a name', '--x\r\nContent-Type: application/zip\r\n\r\n', 'a'],
  ['headers after the file', `${FILE}PK\r\n--x\r\n`, 'X-Padding: a\r\n'],
  ['an epilogue', `${FILE}PK${END}`, 'a'],
])('%s that does not end is refused before the body ends', async (_name, start, line) => {
  const before = await storedKeys();
  const answer = await sendChunked([start, padding(line, FRAMING_BYTES + 1)], false);
  expect(answer).toMatchObject({
    status: 400,
    body: {
      type: '/problems/request-invalid',
      detail: `The body has more than ${FRAMING_BYTES} bytes beside the file. Send one field, named file, and nothing else.`,
    },
  });
  expect(await storedKeys()).toEqual(before);
});

test('preamble and epilogue within the limit are ignored (RFC 2046, 5.1.1)', async () => {
  const half = padding('a', FRAMING_BYTES / 2 - 200);
  const zip = samplePackage(app.api.catalogue);
  expect(await sendChunked([`${half}\r\n${FILE}`, zip, END, half], true)).toMatchObject({ status: 200 });
});
