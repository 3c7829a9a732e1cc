import { expect, onTestFinished, vi } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { startReading } from '../support/open-answer.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const LONG = 'PackageArtifact/build/long.bin';
/** More than the buffers of a connection: a client that does not read stops the download. */
const TOO_LONG_BYTES = 10 * 1024 * 1024;

/** A module with a long file. */
async function longFile(app: TestApp, vendor: TestOrganization, bytes: number) {
  const files = { [LONG]: 'x'.repeat(bytes) };
  const moduleId = await importSample(app, vendor, { files, stored: [LONG] });
  const address = `/modules/${moduleId}/files/${LONG}`;
  return {
    start: () =>
      startReading(new URL(`/api/v8.0/${vendor.id}${address}`, app.url), { Authorization: vendor.admin }),
    read: () => app.as(vendor).get(address),
    small: () => app.as(vendor).get(`/modules/${moduleId}/files/PackageArtifact/build/index.html`),
  };
}

const sharing = { maxDownloads: 3, maxDownloadsPerOrganization: 2 };
const test = serviceTest({ config: { sharing } }).extend<{
  /** A file of the vendor that is too long to be sent at once. */
  readonly file: Awaited<ReturnType<typeof longFile>>;
}>({
  file: [async ({ app, vendor }, use) => use(await longFile(app, vendor, TOO_LONG_BYTES)), { scope: 'file' }],
});

/** From now on, the five seconds for which a download waits for its turn are over at once. */
function skipWaiting(): void {
  const later = globalThis.setTimeout;
  const sooner = (act: () => void, ms?: number) => later(act, ms === 5_000 ? 1 : ms);
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(sooner);
  onTestFinished(() => timers.mockRestore());
}

test('an organization whose clients do not read uses up its own downloads only', async ({
  app,
  vendor,
  file,
}) => {
  const others = await longFile(app, await app.organization(), TOO_LONG_BYTES / 4);
  const open = [await file.start(), await file.start()];
  expect(open.map(({ status }) => status)).toEqual([200, 200]);
  skipWaiting();
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
  await expect.poll(() => app.api.moduleFiles.downloadSlots.taken()).toBe(0);
  expect((await file.read()).status).toBe(200);
});

test('a client that hangs up while it waits for its turn keeps no slot', async ({ app, file }) => {
  const open = [await file.start(), await file.start()];
  const waiting = file.start().catch(() => null);
  await expect.poll(() => app.api.moduleFiles.downloadSlots.waiting()).toBe(1);
  for (const each of open) each.hangUp();
  (await waiting)?.hangUp();
  await expect.poll(() => app.api.moduleFiles.downloadSlots.taken()).toBe(0);
});
