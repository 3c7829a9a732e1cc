import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import { compareContent } from '../support/compare-content.ts';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

/** The comparison at the end of every fault run must detect damage; otherwise a run without findings proves nothing. */
let app: TestApp;
let vendor: TestOrganization;
const uploads = new Map<string, Buffer>();

beforeAll(async () => {
  app = await startTestApp({ settings: { UPLOAD_RETENTION_DAYS: '0' } });
});

beforeEach(async () => {
  vendor = await app.organization();
  uploads.clear();
});

afterAll(() => app.stop());

const LARGE = 'PackageArtifact/build/large.bin';

async function importLarge(moduleId: string | null = null, bytes = 64 * 1024): Promise<string> {
  const large = randomBytes(bytes);
  const zip = samplePackage(app.api.catalogue, { descriptor: { moduleId }, files: { [LARGE]: large } });
  const { status, body, text } = await app.importPackage(vendor, zip);
  expect(status, text).toBe(200);
  uploads.set(body.importId as string, zip);
  return body.moduleId as string;
}

const compare = () => compareContent(app, vendor, uploads);

/** The folder of objects; for a bucket it is the server's folder. */
function objectsFolder(): string {
  if (inject('s3Endpoint') === null) return path.join(app.config.dataDir, 'objects');
  return path.join(inject('scratch'), 's3', app.environment['S3_BUCKET'] ?? '');
}

/** Flips one bit in the middle of the largest object, whatever the objects are. */
async function damageLargest(): Promise<void> {
  const entries = await readdir(objectsFolder(), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const sized = await Promise.all(files.map(async (file) => ({ file, size: (await stat(file)).size })));
  const { file } = sized.reduce((one, other) => (one.size >= other.size ? one : other));
  const bytes = await readFile(file);
  const middle = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  await writeFile(file, bytes);
}

test('every file of every revision in both encodings, and every export, is as it was uploaded', async () => {
  const moduleId = await importLarge();
  await importLarge(moduleId);
  await importLarge();
  // Seven files of the sample, and the large one; the descriptor is not a file of the module.
  const downloads = 3 * 8 * 2;
  expect(await compare()).toMatchObject({ files: downloads, exports: 3, differences: [] });
});

test('one flipped bit of one object is detected, in the file and in the export', async () => {
  // Larger than what other tests have stored.
  await importLarge(null, 128 * 1024);
  // Remove uploads that no revision uses: they are not compared.
  await collectGarbage(app.api, 0);
  await damageLargest();
  const { differences } = await compare();
  const about = (text: string) => differences.filter((each) => each.includes(text)).length;
  expect([about(`${LARGE} of revision 1`), about('the export of revision 1')]).toEqual([2, 1]);
});

test('a revision that serves the files of another package is detected', async () => {
  const moduleId = await importLarge();
  await importLarge(moduleId);
  const [[first, old] = ['', null], [second, young] = ['', null]] = uploads;
  if (old === null || young === null) throw new Error('two uploads were made');
  uploads.set(first, young).set(second, old);
  const { differences } = await compare();
  expect(differences).toHaveLength(2 * 4);
});

test('a file that was not uploaded and a missing one are detected', async () => {
  await importLarge();
  const [[importId, zip] = ['', null]] = uploads;
  if (zip === null) throw new Error('an upload was made');
  const other = samplePackage(app.api.catalogue, { files: { 'PackageArtifact/build/other.bin': 'other' } });
  uploads.set(importId, other);
  const { differences } = await compare();
  const shortened = differences.map((each) => each.replaceAll(/[0-9a-f-]{36}/g, 'ID')).toSorted();
  expect(shortened).toEqual(
    [
      `the list of revision 1 of module ID has ${LARGE}, which was not uploaded`,
      'the list of revision 1 of module ID lacks PackageArtifact/build/other.bin',
      'PackageArtifact/build/other.bin of revision 1 of module ID, gzip, answers 404',
      'PackageArtifact/build/other.bin of revision 1 of module ID, identity, answers 404',
      `the export of revision 1 of module ID has ${LARGE}, which was not uploaded`,
      'the export of revision 1 of module ID lacks PackageArtifact/build/other.bin',
    ].toSorted(),
  );
});
