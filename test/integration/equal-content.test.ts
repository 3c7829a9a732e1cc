import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, vi } from 'vitest';
import { runWorker } from '../../worker/run-worker.ts';
import { changedConfig } from '../support/changed-config.ts';
import { compareContent } from '../support/compare-content.ts';
import { PIXEL, samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ worker: false });

/** An image is buffered whole if a rule inspects it; a large file of the build is streamed in pieces. */
const LOGO = 'ModuleLogo/logo.png';
const BUILT = 'PackageArtifact/build/image.png';

/** Larger than a file of the build that may be buffered whole. */
const IMAGE_BYTES = 2 * 1024 * 1024;

/** A unique PNG: a private chunk before the last one, IEND, contains the bytes. */
function uniqueImage(): Buffer {
  const typeAndData = Buffer.concat([Buffer.from('prVt'), randomBytes(IMAGE_BYTES)]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(IMAGE_BYTES);
  checksum.writeUInt32BE(crc32(typeAndData));
  const endChunkAt = PIXEL.length - 12;
  return Buffer.concat([
    PIXEL.subarray(0, endChunkAt),
    length,
    typeAndData,
    checksum,
    PIXEL.subarray(endChunkAt),
  ]);
}

test('imports of one content, at once and after one that failed, are each complete, also when another is deleted', async ({
  app,
}) => {
  const image = uniqueImage();
  const importImage = async (path: string) => {
    const vendor = await app.organization();
    const zip = samplePackage(app.api.catalogue, { files: { [path]: image }, stored: [path] });
    return { vendor, zip, answer: await app.importPackage(vendor, zip) };
  };
  // An import that cannot end fails soon.
  const config = changedConfig(app.config, { imports: { deadlineSeconds: 1 } });
  const refused = await runWorker(config, app.api.log);
  vi.spyOn(refused.context.storage, 'stream').mockRejectedValue(new Error('the storage refuses reads'));
  vi.spyOn(refused.context.storage, 'read').mockRejectedValue(new Error('the storage refuses reads'));
  expect((await importImage(LOGO)).answer.status).toBe(503);
  await refused.stop();
  await app.startWorker();
  const [deleted, ...others] = await Promise.all([LOGO, BUILT, LOGO, BUILT].map(importImage));
  const { vendor, answer } = deleted ?? expect.unreachable();
  expect((await app.as(vendor).delete(`/modules/${String(answer.body.moduleId)}`)).status).toBe(204);
  for (const { vendor, zip, answer } of others) {
    const report = await compareContent(app, vendor, new Map([[answer.body.importId as string, zip]]));
    expect(report).toMatchObject({ exports: 1, differences: [] });
  }
});
