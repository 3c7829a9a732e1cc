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

/** An image is held whole where a rule looks into it; a large file of the build passes in pieces. */
const LOGO = 'ModuleLogo/logo.png';
const BUILT = 'PackageArtifact/build/image.png';

/** More than a file of the build may have to be held whole. */
const IMAGE_BYTES = 2 * 1024 * 1024;

/** A PNG unlike any other: a private chunk before the last one, IEND, has its bytes. */
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

test('content whose storing was refused to one import is whole in each later import that has it', async () => {
  const app = await startApp();
  const image = uniqueImage();
  const importImage = async (path: string) => {
    const vendor = await app.organization();
    const zip = samplePackage(app.api.catalogue, { files: { [path]: image } });
    return { vendor, zip, answer: await app.importPackage(vendor, zip) };
  };
  // An import that cannot end is given up soon; one that writes nothing but its end does not notice.
  const settings = { ...app.environment, IMPORT_DEADLINE_SECONDS: '2' };
  const refused = await runWorker(loadConfig(settings), app.api.log);
  vi.spyOn(refused.context.storage, 'put').mockRejectedValue(new Error('the storage takes nothing'));
  const first = await importImage(LOGO);
  await refused.stop();
  await app.startWorker();
  const later = [await importImage(BUILT), await importImage(LOGO), await importImage(BUILT)];
  expect(later.map(({ answer }) => answer.status)).toEqual([200, 200, 200]);
  // Whether the first one got through is its own matter: if so, it is whole too.
  for (const { vendor, zip, answer } of [first, ...later].filter(
    ({ answer: { status } }) => status === 200,
  )) {
    const report = await compareContent(app, vendor, new Map([[answer.body.importId as string, zip]]));
    expect(report).toMatchObject({ exports: 1, differences: [] });
  }
});

test.each([
  ['held whole in one, in pieces in the other', LOGO, BUILT],
  ['in pieces in one, held whole in the other', BUILT, LOGO],
  ['in pieces in both', BUILT, BUILT],
])(
  'of two imports of one content, %s, both are whole wherever the other one is',
  async (_, heldPath, otherPath) => {
    const app = await startApp();
    const { context } = await app.startWorker();
    const { storage } = context;
    let gate = new StepGate(0);
    // Else the worker would wait for ever where a test ends in the middle.
    onTestFinished(() => {
      gate.open();
    });
    gateConnections(context.database, () => gate);
    const packageWith = (path: string, image: Buffer) =>
      samplePackage(app.api.catalogue, { files: { [path]: image } });

    /** Gives whether the one import was held at all: it may have fewer steps. */
    const runPair = async (step: number): Promise<boolean> => {
      gate = new StepGate(step);
      Object.assign(context, { storage: gatedStorage(storage, gate) });
      const vendor = await app.organization();
      const image = uniqueImage();
      const [heldZip, otherZip] = [packageWith(heldPath, image), packageWith(otherPath, image)];
      const pending = app.importPackage(vendor, heldZip);
      const isHeld = await Promise.race([gate.reached.then(() => true), pending.then(() => false)]);
      if (!isHeld) gate.open();
      const other = await app.importPackage(vendor, otherZip);
      expect(other.status, other.text).toBe(200);
      const uploads = new Map([[other.body.importId as string, otherZip]]);
      const meanwhile = await compareContent(app, vendor, uploads);
      gate.open();
      const held = await pending;
      expect(meanwhile, `one held at step ${step}`).toMatchObject({ exports: 1, differences: [] });
      expect(held.status, held.text).toBe(200);
      uploads.set(held.body.importId as string, heldZip);
      expect(await compareContent(app, vendor, uploads)).toMatchObject({ exports: 2, differences: [] });
      return isHeld;
    };

    let steps = 0;
    while (await runPair(steps + 1)) steps += 1;
    // It reads its package and writes its end, at the least.
    expect(steps).toBeGreaterThanOrEqual(2);
  },
);
