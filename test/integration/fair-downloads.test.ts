import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { startReading } from '../support/open-answer.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest({ config: { sharing: { maxDownloads: 3, maxDownloadsPerOrganization: 2 } } });

const LONG = 'PackageArtifact/build/long.bin';
/** More than the buffers of a connection: a client that does not read stops the download. */
const FILES = { [LONG]: randomBytes(10 * 1024 * 1024) };

/** A module with a file that is too long to be sent at once. */
async function longFile(app: TestApp, vendor: TestOrganization) {
  const moduleId = await importSample(app, vendor, { files: FILES });
  const address = `/modules/${moduleId}/files/${LONG}`;
  return {
    start: () =>
      startReading(new URL(`/api/v8.0/${vendor.id}${address}`, app.url), { Authorization: vendor.admin }),
    read: () => app.as(vendor).get(address),
    small: () => app.as(vendor).get(`/modules/${moduleId}/files/PackageArtifact/build/index.html`),
  };
}

test('an organization whose clients do not read uses up its own downloads only', async ({ app }) => {
  const [vendor, other] = [await app.organization(), await app.organization()];
  const file = await longFile(app, vendor);
  const others = await longFile(app, other);
  const open = [await file.start(), await file.start()];
  expect(open.map(({ status }) => status)).toEqual([200, 200]);
  const refused = await file.read();
  expect([refused.status, refused.body.detail]).toEqual([
    429,
    'The caller has reached its limit of 2 concurrent downloads. Wait for one to end, or try again in 5 seconds.',
  ]);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect((await others.small()).status).toBe(200);
  expect((await others.read()).status).toBe(200);
  const imported = await app.importPackage(vendor, samplePackage(app.api.catalogue));
  expect(imported.status, imported.text).toBe(200);
  for (const each of open) each.hangUp();
  await expect.poll(() => app.api.downloadSlots.taken()).toBe(0);
  expect((await file.read()).status).toBe(200);
});

test('a client that hangs up while it waits for its turn keeps no slot', async ({ app }) => {
  const vendor = await app.organization();
  const file = await longFile(app, vendor);
  const open = [await file.start(), await file.start()];
  const waiting = file.start().catch(() => null);
  await expect.poll(() => app.api.downloadSlots.waiting()).toBe(1);
  for (const each of open) each.hangUp();
  (await waiting)?.hangUp();
  await expect.poll(() => app.api.downloadSlots.taken()).toBe(0);
});
