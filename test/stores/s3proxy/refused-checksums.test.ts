import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openStorage } from '../../../shared/storage/open-storage.ts';
import { probeStorage } from '../../../shared/storage/probe-storage.ts';
import type { StoredObject } from '../../../shared/storage/storage.ts';
import { samplePackage } from '../../support/sample-package.ts';
import { startTestApp } from '../../support/test-app.ts';

async function appWithChecksums() {
  const logged: string[] = [];
  const app = await startTestApp({
    worker: false,
    settings: { S3_CHECKSUMS: 'when-supported' },
    onLog: (line) => logged.push(line),
  });
  onTestFinished(() => app.stop());
  return { app, logged };
}

test.each([
  ['in one request', 0],
  ['in parts', 6 * 1024 * 1024],
])(
  'an upload %s that the store refuses for its checksums is logged with the setting to change, and leaves nothing',
  async (_, moreBytes) => {
    const { app, logged } = await appWithChecksums();
    const vendor = await app.organization();
    const zip = Buffer.concat([samplePackage(app.api.catalogue), randomBytes(moreBytes)]);
    const answer = await app.importPackage(vendor, zip);
    expect(answer.status, answer.text).toBe(503);
    expect(answer.text).not.toContain('S3_CHECKSUMS');
    const [line] = logged.filter((each) => each.includes('request failed'));
    expect(line).toContain('If it has no CRC32 checksums, set S3_CHECKSUMS=when-required.');
    expect(await app.api.database('imports').where({ organizationId: vendor.id }).select('id')).toEqual([]);
    const storage = await openStorage(app.config);
    const left: StoredObject[] = [];
    for await (const object of storage.list('packages/')) left.push(object);
    const unfinished = await storage.removeUnfinished('packages/', new Date(Date.now() + 86_400_000));
    storage.close();
    expect({ left, unfinished }).toEqual({ left: [], unfinished: 0 });
  },
);

test('a probe says that the store refuses checksums, and which setting to change', async () => {
  const { app } = await appWithChecksums();
  const steps = await probeStorage(app.config);
  const object = steps.find(({ step }) => step === 'object');
  expect(object?.ok).toBe(false);
  expect(object?.advice).toContain('S3_CHECKSUMS=when-required');
});
