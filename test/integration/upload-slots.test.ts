import { afterAll, beforeAll, expect, test } from 'vitest';
import { startUpload } from '../support/start-upload.ts';
import { parseMetrics } from '../support/metric-values.ts';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ config: { imports: { maxUploads: 2, maxUploadsPerOrganization: 1 } } });
});

afterAll(() => app.stop());

async function uploadsRunning(): Promise<number | undefined> {
  return parseMetrics((await app.fetch('/metrics')).text).get('import_uploads_running');
}

function importOf(vendor: TestOrganization): Promise<Answer> {
  return app.importPackage(vendor, samplePackage(app.api.catalogue));
}

test('uploads beyond the limit of an organization are 429, beyond that of the process 503, until one ends', async () => {
  const vendors = [await app.organization(), await app.organization()];
  const other = await app.organization();
  const open = [];
  for (const vendor of vendors) {
    open.push(await startUpload(`${app.url}/api/v8.0/${vendor.id}/ImportModuleAsync`, vendor.admin, 1));
    await expect.poll(uploadsRunning).toBe(open.length);
    const own = await importOf(vendor);
    expect([own.status, own.body.type]).toEqual([429, '/problems/rate-limited']);
    expect(Number(own.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const beyond = await importOf(other);
  expect([beyond.status, beyond.body.type]).toEqual([503, '/problems/unavailable']);
  expect(Number(beyond.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await app.api.database('imports').select('id')).toEqual([]);
  for (const upload of open) upload.destroy();
  await expect.poll(uploadsRunning).toBe(0);
  for (const vendor of [...vendors, other]) expect((await importOf(vendor)).status).toBe(200);
});
