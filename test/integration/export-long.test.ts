import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { exportModule, exportPath } from '../support/export-module.ts';
import { startReading } from '../support/open-answer.ts';
import { importSample } from '../support/import-sample.ts';
import { LogWatch } from '../support/log-watch.ts';
import type { SampleOptions } from '../support/sample-package.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { exportsInAuditLog } from '../support/audited-exports.ts';

const BUILD = 'PackageArtifact/build';

let app: TestApp;
let vendor: TestOrganization;
let moduleId: string;

beforeAll(async () => {
  app = await startTestApp();
});

beforeEach(async () => {
  vendor = await app.organization();
});

afterEach(() => vi.restoreAllMocks());

afterAll(() => app.stop());

const importModule = (options?: SampleOptions) => importSample(app, vendor, options);

describe('a long export', () => {
  /** More than the socket buffers of both ends. */
  const LONG = 10 * 1024 * 1024;

  /** A module with a file of that size and a small one after it, both uncompressed. */
  const importLong = (sizeBytes: number) => {
    const files = { [`${BUILD}/m`]: Buffer.alloc(sizeBytes, randomUUID()), [`${BUILD}/z`]: randomUUID() };
    return importModule({ files, stored: Object.keys(files) });
  };

  const start = () =>
    startReading(new URL(exportPath(vendor, moduleId), app.url), { Authorization: vendor.admin });

  /** Replaces the bytes of the module's archive in storage. */
  async function replaceArchive(change: (archive: Buffer) => Buffer): Promise<void> {
    const row = await app.api
      .database('module_revisions')
      .where({ moduleId })
      .first<{ archiveKey: string; archiveBytes: number }>('archiveKey', 'archiveBytes');
    const archive = await app.api.storage.read(row.archiveKey, 0, row.archiveBytes);
    await app.api.storage.remove(row.archiveKey);
    await app.api.storage.put(row.archiveKey, change(archive));
  }

  test('allows one more of the organization; a third is 429, and not recorded as an export', async () => {
    moduleId = await importLong(LONG);
    const open = [await start(), await start()];
    expect(open.map(({ status }) => status)).toEqual([200, 200]);
    const third = await exportModule(app, vendor, moduleId);
    expect(third.status).toBe(429);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(third.headers.get('content-disposition')).toBeNull();
    expect(third.bytes.toString()).toContain('"type":"/problems/rate-limited"');
    expect(await exportsInAuditLog(app, vendor)).toHaveLength(2);
    expect((await exportModule(app, vendor, moduleId, { method: 'HEAD' })).status).toBe(200);
    for (const each of open) each.hangUp();
    await expect.poll(() => app.api.moduleFiles.exportSlots.taken(), { timeout: 10_000 }).toBe(0);
    expect((await exportModule(app, vendor, moduleId)).bytes.length).toBeGreaterThan(LONG);
  });

  test('whose client hangs up releases its slot and its storage stream, and logs no error', async () => {
    moduleId = await importLong(LONG);
    const opened = vi.spyOn(app.api.storage, 'stream');
    const logged = vi.spyOn(app.api.log, 'error');
    const { hangUp } = await start();
    const index = () => opened.mock.calls.findIndex(([, range]) => range?.length === LONG);
    await expect.poll(index).not.toBe(-1);
    const stream: unknown = await opened.mock.results[index()]?.value;
    expect(stream).toMatchObject({ destroyed: false });
    hangUp();
    await expect.poll(() => app.api.moduleFiles.exportSlots.taken(), { timeout: 10_000 }).toBe(0);
    expect(stream).toBeInstanceOf(Readable);
    await expect.poll(() => stream).toMatchObject({ destroyed: true });
    expect(logged).not.toHaveBeenCalled();
  });

  test.each([
    ['a long file', 4 * 1024 * 1024, (archive: Buffer) => archive.indexOf('/mm') + 100_000],
    ['a short file', 4 * 1024 * 1024, (archive: Buffer) => archive.indexOf(`${BUILD}/z`) + BUILD.length + 3],
    ['a package that is read at once', 700_000, (archive: Buffer) => archive.length - 40_000],
  ])(
    'is aborted if the bytes in storage have changed, and the log names the file: %s',
    async (_, sizeBytes, position) => {
      moduleId = await importLong(sizeBytes);
      await replaceArchive((archive) => {
        const at = Math.max(position(archive), 200_000);
        archive[at] = (archive[at] ?? 0) ^ 1;
        return archive;
      });
      const logged = vi.spyOn(app.api.log, 'error');
      const lines = vi.spyOn(LogWatch.prototype, 'write');
      const response = await fetch(new URL(exportPath(vendor, moduleId), app.url), {
        headers: { Authorization: vendor.admin },
      });
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow();
      await expect.poll(() => logged.mock.calls.length, { timeout: 10_000 }).toBe(1);
      const [[fields] = []] = logged.mock.calls as unknown as [{ err: Error }][];
      const line = lines.mock.calls
        .map(([each]) => each)
        .find((each) => each.includes('response interrupted'));
      expect(JSON.parse(line ?? '{}')).toMatchObject({ traceId: response.headers.get('x-trace-id') });
      expect(fields?.err.message).toBe(`the export of module ${moduleId} revision 1 failed`);
      expect(String(fields?.err.cause)).toMatch(
        /the compressed data of PackageArtifact\/build\/[mz] is not what was imported/,
      );
      await expect.poll(() => app.api.moduleFiles.exportSlots.taken(), { timeout: 10_000 }).toBe(0);
    },
  );

  test('whose archive is shorter in storage is not a complete answer', async () => {
    moduleId = await importLong(4 * 1024 * 1024);
    await replaceArchive((archive) => archive.subarray(0, 1_000_000));
    await expect(exportModule(app, vendor, moduleId)).rejects.toThrow('terminated');
    moduleId = await importLong(1_000);
    await replaceArchive((archive) => archive.subarray(0, 500));
    expect((await exportModule(app, vendor, moduleId)).status).toBe(503);
  });
});
