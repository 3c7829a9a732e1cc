import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { S3Config } from '../../shared/config/part-config.ts';
import { openStorage } from '../../shared/storage/open-storage.ts';
import { probeStorage } from '../../shared/storage/probe-storage.ts';
import { S3_KEYS } from '../support/s3-stores.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
});

afterAll(() => app.stop());

test('each thing that the service needs of its storage is tried, and nothing stays', async () => {
  const steps = await probeStorage(app.config);
  expect(steps.filter(({ ok }) => !ok)).toEqual([]);
  const first = app.config.s3 === null ? 'DATA_DIR' : 'bucket';
  expect(steps.map(({ step }) => step)).toEqual([first, 'object', 'parts']);
  const storage = await openStorage(app.config);
  const left: string[] = [];
  for await (const { key } of storage.list('probes/')) left.push(key);
  storage.close();
  expect(left).toEqual([]);
});

test('a directory that cannot be made is named, with its setting', async () => {
  const dataDir = path.join(inject('scratch'), randomUUID());
  await writeFile(dataDir, '');
  const [step, ...others] = await probeStorage({ storage: 'directory', s3: null, dataDir });
  expect(step).toMatchObject({ step: 'DATA_DIR', ok: false });
  expect(step?.detail).toContain(dataDir);
  expect(others).toEqual([]);
});

const WRONG_SETTINGS: readonly (readonly [Partial<S3Config>, string, string])[] = [
  [{ bucket: 'no-such-bucket' }, 'The bucket "no-such-bucket" does not exist', 'S3_BUCKET'],
  [{ credentials: { accessKeyId: 'nobody', secretAccessKey: 'x' } }, 'access key', 'S3_ACCESS_KEY_ID'],
  [{ credentials: { ...S3_KEYS, secretAccessKey: 'x' } }, 'signature', 'S3_SECRET_ACCESS_KEY'],
  [{ endpoint: 'http://127.0.0.1:1' }, 'Nothing listens at http://127.0.0.1:1', 'S3_ENDPOINT'],
  [{ region: 'eu-west-7' }, 'refuses the region "eu-west-7"', 'Set S3_REGION=us-east-1.'],
];
// Other stores accept each region.
const settings = WRONG_SETTINGS.filter(
  ([{ region }]) => region === undefined || inject('s3Store') === 'versitygw',
);

test.each(settings)(
  'a bucket with %j fails with its cause and the setting to change',
  async (wrong, detail, advice) => {
    if (app.config.s3 === null) return;
    const steps = await probeStorage({ ...app.config, s3: { ...app.config.s3, ...wrong } });
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({ step: 'bucket', ok: false });
    expect(steps[0]?.detail).toContain(detail);
    expect(steps[0]?.advice).toContain(advice);
    expect(JSON.stringify(steps)).not.toContain('test-secret');
  },
);

test('a store that does not encrypt as it was requested is reported', async () => {
  if (app.config.s3 === null) return;
  const s3 = { ...app.config.s3, serverSideEncryption: 'AES256' as const };
  const step = (await probeStorage({ ...app.config, s3 })).find((each) => each.step === 'encryption');
  expect(step?.ok).toBe(false);
  expect(step?.advice).toContain('S3_SERVER_SIDE_ENCRYPTION');
});
