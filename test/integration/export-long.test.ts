import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { fileKey } from '../../shared/db/stored-files.ts';
import { exportModule, exportPath } from '../support/export-module.ts';
import { beginReading } from '../support/open-answer.ts';
import { importSample } from '../support/import-sample.ts';
import type { SampleOptions } from '../support/sample-package.ts';
import { startTestApp } from '../support/test-app.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';
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
  moduleId = await importModule();
});

afterEach(() => vi.restoreAllMocks());

afterAll(() => app.stop());

const importModule = (options?: SampleOptions) => importSample(app, vendor, options);

describe('a long export', () => {
  /** More than the sockets of both ends take. */
  const LONG = 16 * 1024 * 1024;

  /** A module whose files no other module has: contents are stored once. */
  const importLong = (sizeBytes: number) => {
    const [middle, last] = [Buffer.alloc(sizeBytes, randomUUID()), randomUUID()];
    return importModule({ files: { [`${BUILD}/m`]: middle, [`${BUILD}/z`]: last } });
  };

  const begin = () =>
    beginReading(new URL(exportPath(vendor, moduleId), app.url), { Authorization: vendor.admin });

  /** Removes a file's object from under the service; gives its key. */
  async function lose(path: string): Promise<string> {
    const row = await app.api
      .database('module_files')
      .where({ moduleId, path })
      .first<{ objectKey: string }>('objectKey');
    await app.api.storage.remove(fileKey(row.objectKey));
    return row.objectKey;
  }

  test('leaves room for one more of the organization; a third is 429, and no export', async () => {
    moduleId = await importLong(LONG);
    const open = [await begin(), await begin()];
    expect(open.map(({ status }) => status)).toEqual([200, 200]);
    const third = await exportModule(app, vendor, moduleId);
    expect(third.status).toBe(429);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(third.headers.get('content-disposition')).toBeNull();
    expect(third.bytes.toString()).toContain('"type":"/problems/rate-limited"');
    expect(await exportsInAuditLog(app, vendor)).toHaveLength(2);
    expect((await exportModule(app, vendor, moduleId, { method: 'HEAD' })).status).toBe(200);
    for (const each of open) each.hangUp();
    await expect.poll(() => app.api.exportSlots.taken(), { timeout: 10_000 }).toBe(0);
    expect((await exportModule(app, vendor, moduleId)).bytes.length).toBeGreaterThan(LONG);
  });

  test('whose client hangs up gives back its slot and what it read from storage, and is no fault', async () => {
    moduleId = await importLong(LONG);
    const opened = vi.spyOn(app.api.storage, 'stream');
    const logged = vi.spyOn(app.api.log, 'error');
    const { hangUp } = await begin();
    // Small files are read whole, by their range.
    const index = () => opened.mock.calls.findIndex(([, range]) => range === undefined);
    await expect.poll(index).not.toBe(-1);
    const stream: unknown = await opened.mock.results[index()]?.value;
    expect(stream).toMatchObject({ destroyed: false });
    hangUp();
    await expect.poll(() => app.api.exportSlots.taken(), { timeout: 10_000 }).toBe(0);
    expect(stream).toBeInstanceOf(Readable);
    expect(stream).toMatchObject({ destroyed: true });
    expect(logged).not.toHaveBeenCalled();
  });

  test.each([`${BUILD}/m`, `${BUILD}/z`])(
    'with a file that cannot be read breaks off, and the log says which: %s',
    async (path) => {
      moduleId = await importLong(700_000);
      const objectKey = await lose(path);
      const logged = vi.spyOn(app.api.log, 'error');
      const response = await fetch(new URL(exportPath(vendor, moduleId), app.url), {
        headers: { Authorization: vendor.admin },
      });
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow();
      await expect.poll(() => logged.mock.calls.length, { timeout: 10_000 }).toBe(1);
      const [[fields] = []] = logged.mock.calls as unknown as [{ err: Error; traceId: string }][];
      expect(fields?.traceId).toBe(response.headers.get('x-trace-id'));
      expect(fields?.err.message).toBe(`the export of module ${moduleId} revision 1 failed`);
      expect(fields?.err.cause).toMatchObject({
        message: `file ${path}, object ${objectKey}, cannot be read`,
      });
      await expect.poll(() => app.api.exportSlots.taken(), { timeout: 10_000 }).toBe(0);
    },
  );

  test.each([
    ['other bytes of the same length', randomUUID()],
    ['fewer bytes', 'few'],
  ])('with a file that has %s in storage breaks off', async (_, content) => {
    moduleId = await importLong(700_000);
    const objectKey = await lose(`${BUILD}/z`);
    await app.api.storage.put(fileKey(objectKey), Buffer.from(content));
    await expect(exportModule(app, vendor, moduleId)).rejects.toThrow('terminated');
  });
});
