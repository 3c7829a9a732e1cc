import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../shared/config/config.ts';
import { runWorker } from '../../worker/run-worker.ts';
import { compareContent } from '../support/compare-content.ts';
import { PIXEL, samplePackage } from '../support/sample-package.ts';
import { gateConnections, gatedStorage, StepGate } from '../support/step-gate.ts';
import { startTestApp } from '../support/test-app.ts';
import type { TestApp } from '../support/test-app.ts';

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

async function startApp(): Promise<TestApp> {
  const app = await startTestApp({ worker: false });
  onTestFinished(() => app.stop());
  return app;
}

test('content that one import failed to store is complete in each later import of it', async () => {
  const app = await startApp();
  const image = uniqueImage();
  const importImage = async (path: string) => {
    const vendor = await app.organization();
    const zip = samplePackage(app.api.catalogue, { files: { [path]: image }, stored: [path] });
    return { vendor, zip, answer: await app.importPackage(vendor, zip) };
  };
  // An import that cannot end fails soon; one that only writes its end does not notice.
  const settings = { ...app.environment, IMPORT_DEADLINE_SECONDS: '2' };
  const refused = await runWorker(loadConfig(settings), app.api.log);
  vi.spyOn(refused.context.storage, 'put').mockRejectedValue(new Error('the storage refuses writes'));
  const first = await importImage(LOGO);
  await refused.stop();
  await app.startWorker();
  const later = [await importImage(BUILT), await importImage(LOGO), await importImage(BUILT)];
  expect(later.map(({ answer }) => answer.status)).toEqual([200, 200, 200]);
  // Whether the first one succeeded does not matter here: if so, it is complete too.
  for (const { vendor, zip, answer } of [first, ...later].filter(
    ({ answer: { status } }) => status === 200,
  )) {
    const report = await compareContent(app, vendor, new Map([[answer.body.importId as string, zip]]));
    expect(report).toMatchObject({ exports: 1, differences: [] });
  }
});

test.each([
  ['buffered in one, streamed in the other', LOGO, BUILT],
  ['streamed in one, buffered in the other', BUILT, LOGO],
  ['streamed in both', BUILT, BUILT],
])(
  'of two imports of one content, %s, both are complete wherever the other one is',
  async (_, pausedPath, otherPath) => {
    const app = await startApp();
    const { context } = await app.startWorker();
    const { storage } = context;
    let gate = new StepGate(0);
    // Otherwise the worker would wait forever if a test fails halfway.
    onTestFinished(() => {
      gate.open();
    });
    gateConnections(context.database, () => gate);
    const packageWith = (path: string, image: Buffer) =>
      samplePackage(app.api.catalogue, { files: { [path]: image }, stored: [path] });

    /** Returns whether the one import was paused at all: it may have fewer steps. */
    const runPair = async (step: number): Promise<boolean> => {
      gate = new StepGate(step);
      Object.assign(context, { storage: gatedStorage(storage, gate) });
      const vendor = await app.organization();
      const image = uniqueImage();
      const [pausedZip, otherZip] = [packageWith(pausedPath, image), packageWith(otherPath, image)];
      const pending = app.importPackage(vendor, pausedZip);
      const isPaused = await Promise.race([gate.reached.then(() => true), pending.then(() => false)]);
      if (!isPaused) gate.open();
      const other = await app.importPackage(vendor, otherZip);
      expect(other.status, other.text).toBe(200);
      const uploads = new Map([[other.body.importId as string, otherZip]]);
      const meanwhile = await compareContent(app, vendor, uploads);
      gate.open();
      const paused = await pending;
      expect(meanwhile, `one paused at step ${step}`).toMatchObject({ exports: 1, differences: [] });
      expect(paused.status, paused.text).toBe(200);
      uploads.set(paused.body.importId as string, pausedZip);
      expect(await compareContent(app, vendor, uploads)).toMatchObject({ exports: 2, differences: [] });
      return isPaused;
    };

    let steps = 0;
    while (await runPair(steps + 1)) steps += 1;
    // It at least reads its package and writes its end.
    expect(steps).toBeGreaterThanOrEqual(2);
  },
);
