import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { exportModule, exportPath } from '../support/export-module.ts';
import { exportsInAuditLog } from '../support/audited-exports.ts';
import { exported } from '../support/exported-package.ts';
import { importSample } from '../support/import-sample.ts';
import { startTestApp } from '../support/test-app.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';
import { zipBoundaries } from '../support/zip-boundaries.ts';

const BUILD = 'PackageArtifact/build';
/** More than is read at once, of a file and of an archive. */
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

/** A revision of the module, with files that are stored and files that are deflated and one of that length. */
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

const ask = (headers: Readonly<Record<string, string>>, method = 'GET') =>
  exportModule(app, vendor, moduleId, { headers, method });

/** Reads an export until so many bytes have come, then hangs up. */
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
    if (piece?.value === undefined) throw new Error('the export ended before');
    received = Buffer.concat([received, piece.value]);
  }
  hangUp.abort();
  return { etag: response.headers.get('etag') ?? '', received };
}

describe('a download that broke off', () => {
  test('is resumed with Range and If-Range: what comes is the rest, to the byte', async () => {
    await importModule(LONG);
    const { etag, received } = await breakOff(1_000_000);
    expect(received.length).toBeLessThan(LONG);
    const rest = await ask({ Range: `bytes=${received.length}-`, 'If-Range': etag });
    expect(rest.status).toBe(206);
    expect(rest.headers.get('etag')).toBe(etag);
    const whole = await exported(app, vendor, moduleId);
    expect(rest.headers.get('content-range')).toBe(
      `bytes ${received.length}-${whole.length - 1}/${whole.length}`,
    );
    expect(Buffer.concat([received, rest.bytes]).equals(whole)).toBe(true);
  });

  test('of a module that has another revision meanwhile gives the whole of that one, never a mixture', async () => {
    await importModule(LONG);
    const { etag, received } = await breakOff(1_000_000);
    await importModule();
    const answer = await ask({ Range: `bytes=${received.length}-`, 'If-Range': etag });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([200, null]);
    expect(answer.headers.get('etag')).not.toBe(etag);
    expect(answer.bytes.equals(await exported(app, vendor, moduleId))).toBe(true);
  });

  test.each(['"other"', 'weak', 'Sun, 22 Nov 2026 00:00:00 GMT'])(
    'gives the whole where If-Range is no strong ETag of the export: %s',
    async (version) => {
      await importModule();
      const { headers, bytes } = await ask({});
      const unknown = version === 'weak' ? `W/${headers.get('etag')}` : version;
      const answer = await ask({ Range: 'bytes=10-', 'If-Range': unknown });
      expect(answer.status).toBe(200);
      expect(answer.bytes.equals(bytes)).toBe(true);
    },
  );
});

test.each([
  ['that is read at once', 1_000],
  ['that is read by ranges', LONG],
])(
  'a range may begin and end anywhere in a package %s: at each header, file and record, and beside it',
  async (_, longBytes) => {
    await importModule(longBytes);
    const whole = await exported(app, vendor, moduleId);
    const boundaries = zipBoundaries(whole);
    expect(boundaries.length).toBeGreaterThan(30);
    const positions = new Set(boundaries.flatMap((each) => [each - 1, each, each + 1]));
    for (const at of positions) {
      if (at < 0 || at >= whole.length) continue;
      for (const [first, last] of [
        [at, Math.min(at + 700, whole.length - 1)],
        [Math.max(0, at - 700), at],
      ] as const) {
        const { status, headers, bytes } = await ask({ Range: `bytes=${first}-${last}` });
        const range = `bytes ${first}-${last}/${whole.length}`;
        expect([status, headers.get('content-range')]).toEqual([206, range]);
        expect(headers.get('content-length')).toBe(String(bytes.length));
        expect(bytes.equals(whole.subarray(first, last + 1)), range).toBe(true);
      }
    }
  },
);

test('a range of the last bytes, and one that ends past the end, is what there is of it', async () => {
  await importModule();
  const whole = await exported(app, vendor, moduleId);
  for (const range of ['-100', `${whole.length - 100}-${whole.length + 5}`]) {
    const { status, bytes } = await ask({ Range: `bytes=${range}` });
    expect(status).toBe(206);
    expect(bytes.equals(whole.subarray(-100))).toBe(true);
  }
});

test('a range that begins past the end is 416 with the length, and is no export', async () => {
  await importModule();
  const length = (await ask({}, 'HEAD')).headers.get('content-length') ?? '';
  for (const range of [`${length}-`, `${Number(length) + 1}-`, '-0']) {
    const { status, headers, bytes } = await ask({ Range: `bytes=${range}` });
    expect([status, headers.get('content-range'), bytes.length]).toEqual([416, `bytes */${length}`, 0]);
  }
  expect(await exportsInAuditLog(app, vendor)).toEqual([]);
});

test('HEAD has the length of the whole and Accept-Ranges, also with a Range header', async () => {
  await importModule();
  const head = await ask({ Range: 'bytes=0-9' }, 'HEAD');
  expect([head.status, head.headers.get('accept-ranges')]).toEqual([200, 'bytes']);
  const whole = await exported(app, vendor, moduleId);
  expect(head.headers.get('content-length')).toBe(String(whole.length));
});

test('a range of an export is in the audit log as an export is', async () => {
  await importModule();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const { status } = await ask({
    Range: 'bytes=10-19',
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
  });
  expect(status).toBe(206);
  expect(await exportsInAuditLog(app, vendor)).toMatchObject([{ actor: 'tester', moduleId, traceId }]);
});
