import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { exportModule, exportPath } from '../support/export-module.ts';
import { exportsInAuditLog } from '../support/audited-exports.ts';
import { exported } from '../support/exported-package.ts';
import { importSample } from '../support/import-sample.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { zipBoundaries } from '../support/zip-boundaries.ts';

const BUILD = 'PackageArtifact/build';
/** More than is read at once, for a file and for an archive. */
const LONG = 3 * 1024 * 1024;

let app: TestApp;
let vendor: TestOrganization;
let moduleId: string;

beforeAll(async () => {
  app = await startTestApp();
});

beforeEach(async () => {
  vendor = await app.organization();
  moduleId = randomUUID();
});

afterAll(() => app.stop());

/** A revision of the module with stored files, deflated files and one file of that length. */
const importModule = (longBytes = 1_000) =>
  importSample(app, vendor, {
    descriptor: { moduleId },
    files: {
      [`${BUILD}/deflated.txt`]: randomUUID().repeat(100),
      [`${BUILD}/empty`]: '',
      [`${BUILD}/long`]: randomBytes(longBytes),
      [`${BUILD}/stored.txt`]: randomUUID().repeat(20),
    },
    stored: [`${BUILD}/stored.txt`, `${BUILD}/long`],
  });

const fetchExport = (headers: Readonly<Record<string, string>>, method = 'GET') =>
  exportModule(app, vendor, moduleId, { headers, method });

/** Reads an export until this many bytes have arrived, then hangs up. */
async function breakOff(bytes: number): Promise<{ etag: string; received: Buffer }> {
  const hangUp = new AbortController();
  const response = await fetch(new URL(exportPath(vendor, moduleId), app.url), {
    headers: { Authorization: vendor.admin },
    signal: hangUp.signal,
  });
  const reader = response.body?.getReader();
  let received = Buffer.alloc(0);
  while (received.length < bytes) {
    const piece = await reader?.read();
    if (piece?.value === undefined) throw new Error('the export ended too early');
    received = Buffer.concat([received, piece.value]);
  }
  hangUp.abort();
  return { etag: response.headers.get('etag') ?? '', received };
}

describe('an interrupted download', () => {
  test('is resumed with Range and If-Range, and continues at the exact byte', async () => {
    await importModule(LONG);
    const { etag, received } = await breakOff(1_000_000);
    expect(received.length).toBeLessThan(LONG);
    const rest = await fetchExport({ Range: `bytes=${received.length}-`, 'If-Range': etag });
    expect(rest.status).toBe(206);
    expect(rest.headers.get('etag')).toBe(etag);
    const whole = await exported(app, vendor, moduleId);
    expect(rest.headers.get('content-range')).toBe(
      `bytes ${received.length}-${whole.length - 1}/${whole.length}`,
    );
    expect(Buffer.concat([received, rest.bytes]).equals(whole)).toBe(true);
  });

  test('of a module with a new revision restarts with that revision, never a mixture', async () => {
    await importModule(LONG);
    const { etag, received } = await breakOff(1_000_000);
    await importModule();
    const answer = await fetchExport({ Range: `bytes=${received.length}-`, 'If-Range': etag });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([200, null]);
    expect(answer.headers.get('etag')).not.toBe(etag);
    expect(answer.bytes.equals(await exported(app, vendor, moduleId))).toBe(true);
  });

  test.each(['"other"', 'weak', 'Sun, 22 Nov 2026 00:00:00 GMT'])(
    'restarts if If-Range is not a strong ETag of the export: %s',
    async (version) => {
      await importModule();
      const { headers, bytes } = await fetchExport({});
      const unknown = version === 'weak' ? `W/${headers.get('etag')}` : version;
      const answer = await fetchExport({ Range: 'bytes=10-', 'If-Range': unknown });
      expect(answer.status).toBe(200);
      expect(answer.bytes.equals(bytes)).toBe(true);
    },
  );
});

/**
 * Ranges of which one starts and one ends at each of these boundaries, or at a byte next to it. The unit test of
 * `packageBytes` tries every byte.
 */
function rangesBetween(boundaries: readonly number[], length: number) {
  const positions = boundaries.map((at, index) => Math.max(0, at + (index % 3) - 1));
  // Each starts in one part, and ends in another.
  const PARTS = 2;
  return Array.from({ length: positions.length + PARTS }, (_, index) => ({
    first: positions[index - PARTS] ?? 0,
    last: Math.min(positions[index] ?? length, length - 1),
  })).filter(({ first }) => first < length);
}

test.each([
  ['that is read at once', 1_000],
  ['that is read in ranges', LONG],
])(
  'a range may start and end at each header, file and record, or next to it, in a package %s',
  async (_, longBytes) => {
    await importModule(longBytes);
    const whole = await exported(app, vendor, moduleId);
    const boundaries = zipBoundaries(whole);
    expect(boundaries.length).toBeGreaterThan(30);
    for (const { first, last } of rangesBetween(boundaries, whole.length)) {
      const { status, headers, bytes } = await fetchExport({ Range: `bytes=${first}-${last}` });
      const range = `bytes ${first}-${last}/${whole.length}`;
      expect([status, headers.get('content-range')]).toEqual([206, range]);
      expect(headers.get('content-length')).toBe(String(bytes.length));
      expect(bytes.equals(whole.subarray(first, last + 1)), range).toBe(true);
    }
  },
);

test('a range of the last bytes, and one that ends after the end, returns the bytes that exist', async () => {
  await importModule();
  const whole = await exported(app, vendor, moduleId);
  for (const range of ['-100', `${whole.length - 100}-${whole.length + 5}`]) {
    const { status, bytes } = await fetchExport({ Range: `bytes=${range}` });
    expect(status).toBe(206);
    expect(bytes.equals(whole.subarray(-100))).toBe(true);
  }
});

test('a range that starts after the end is 416 with the length, and is not recorded as an export', async () => {
  await importModule();
  const length = (await fetchExport({}, 'HEAD')).headers.get('content-length') ?? '';
  for (const range of [`${length}-`, `${Number(length) + 1}-`, '-0']) {
    const { status, headers, bytes } = await fetchExport({ Range: `bytes=${range}` });
    expect([status, headers.get('content-range'), bytes.length]).toEqual([416, `bytes */${length}`, 0]);
  }
  expect(await exportsInAuditLog(app, vendor)).toEqual([]);
});

test('HEAD has the full length and Accept-Ranges, also with a Range header', async () => {
  await importModule();
  const head = await fetchExport({ Range: 'bytes=0-9' }, 'HEAD');
  expect([head.status, head.headers.get('accept-ranges')]).toEqual([200, 'bytes']);
  const whole = await exported(app, vendor, moduleId);
  expect(head.headers.get('content-length')).toBe(String(whole.length));
});

test('a range of an export is recorded in the audit log like an export', async () => {
  await importModule();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const { status } = await fetchExport({
    Range: 'bytes=10-19',
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
  });
  expect(status).toBe(206);
  expect(await exportsInAuditLog(app, vendor)).toMatchObject([{ actor: 'tester', moduleId, traceId }]);
});
