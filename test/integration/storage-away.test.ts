import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

/** A bucket that does not exist, or a file in the path of the directory of objects. */
beforeAll(async () => {
  const isS3 = inject('s3Endpoint') !== null;
  app = await startTestApp({ worker: false, settings: isS3 ? { S3_BUCKET: 'no-such-bucket' } : {} });
  if (isS3) return;
  const objects = path.join(app.config.dataDir, 'objects');
  await rm(objects, { recursive: true });
  await writeFile(objects, '');
});

afterAll(() => app.stop());

test.each([
  ['that arrives completely before storage fails', 0],
  ['that is still being sent when storage fails', 20 * 1024 * 1024],
])('a package %s is answered with 503 as an internal error', async (_, moreBytes) => {
  const vendor = await app.organization();
  const zip = Buffer.concat([samplePackage(app.api.catalogue), Buffer.alloc(moreBytes)]);
  const answer = await app.importPackage(vendor, zip);
  expect(answer.status, answer.text).toBe(503);
  expect(answer.body.type).toBe('/problems/unavailable');
  expect(await app.api.database('imports').where({ organizationId: vendor.id }).select('id')).toEqual([]);
});
