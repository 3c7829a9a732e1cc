import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { expect } from 'vitest';
import { StorageQuota } from '../../api/imports/storage-quota.ts';
import { ARCHIVES } from '../../shared/db/imports/archives.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';

const KB = 1_000;
/** Room for two packages of the test and their multipart framing, and not for three. */
const QUOTA = 290 * KB;
const test = serviceTest({ settings: { MAX_STORED_BYTES_PER_ORGANIZATION: String(QUOTA) } });

/** A package of a bit more than 100 KB. */
function bigPackage(app: TestApp, descriptor: Readonly<Record<string, unknown>> = {}): Buffer {
  const files = { 'PackageArtifact/build/data.bin': randomBytes(100 * KB) };
  return samplePackage(app.api.catalogue, { descriptor, files });
}

async function importBig(app: TestApp, vendor: TestOrganization, moduleId?: string): Promise<Answer> {
  return app.importPackage(vendor, bigPackage(app, { ...(moduleId !== undefined && { moduleId }) }));
}

async function usageOf(app: TestApp, vendor: TestOrganization): Promise<Answer['body']> {
  return (await app.as(vendor).get('/usage')).body as unknown;
}

const REFUSED = { status: 409, type: '/problems/quota-exceeded' };

test('an upload beyond the quota is refused and not stored; what is deleted makes reservation', async ({
  app,
}) => {
  const vendor = await app.organization();
  const first = await importBig(app, vendor);
  const moduleId = first.body.moduleId as string;
  expect(await importBig(app, vendor, moduleId)).toMatchObject({ status: 200, body: { revision: 2 } });
  const imports = (await app.as(vendor).get('/imports')).body.items.length as number;
  const refused = await importBig(app, vendor);
  expect(refused.body).toMatchObject(REFUSED);
  expect(refused.body.detail).toContain(String(QUOTA));
  expect((await app.as(vendor).get('/imports')).body.items).toHaveLength(imports);
  // Downloads of a deleted revision may still run.
  expect((await app.as(vendor).delete(`/modules/${moduleId}/revisions/1`)).status).toBe(204);
  expect((await importBig(app, vendor)).body).toMatchObject(REFUSED);
  expect(await importBig(app, vendor, moduleId)).toMatchObject({ status: 409 });
  // As the refusal says.
  expect((await app.as(vendor).delete(`/modules/${moduleId}?purge=true`)).status).toBe(204);
  const third = await importBig(app, vendor);
  const thirdId = third.body.moduleId as string;
  expect(await importBig(app, vendor, thirdId)).toMatchObject({ status: 200, body: { revision: 2 } });
  expect((await app.as(vendor).delete(`/modules/${thirdId}/revisions/1`)).status).toBe(204);
  // Also of a revision that is already deleted.
  const purge = () => app.as(vendor).delete(`/modules/${thirdId}/revisions/1?purge=true`);
  expect([(await purge()).status, (await purge()).status]).toEqual([204, 404]);
  const other = await importBig(app, vendor);
  expect(other.status, other.text).toBe(200);
  expect((await importBig(app, vendor)).body).toMatchObject(REFUSED);
  expect((await app.as(vendor).delete(`/modules/${other.body.moduleId}`)).status).toBe(204);
  expect((await importBig(app, vendor)).body).toMatchObject(REFUSED);
  expect((await app.as(vendor).delete(`/modules/${other.body.moduleId}?purge=true`)).status).toBe(204);
  expect((await importBig(app, vendor)).status).toBe(200);
});

test('a refusal names the days for which uploads of rejected imports count', async ({ app }) => {
  const vendor = await app.organization();
  const rejected = async () => (await importBig(app, vendor, 'no GUID')).status;
  expect([await rejected(), await rejected()]).toEqual([400, 400]);
  const refused = await importBig(app, vendor);
  expect(refused.body).toMatchObject(REFUSED);
  expect(refused.body.detail).toContain(
    'The upload of a rejected or failed import counts too, until it is deleted after 7 days.',
  );
});

test('uploads at once do not exceed the quota together', async ({ app }) => {
  const vendor = await app.organization();
  const answers = await Promise.all(Array.from({ length: 8 }, () => importBig(app, vendor)));
  const statuses = answers.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([200, 200, 409, 409, 409, 409, 409, 409]);
  expect((await usageOf(app, vendor)).storedBytes).toBeLessThanOrEqual(QUOTA);
});

test('the quota of one organization does not limit another one', async ({ app }) => {
  const [full, other] = [await app.organization(), await app.organization()];
  await Promise.all([importBig(app, full), importBig(app, full)]);
  expect((await importBig(app, full)).status).toBe(409);
  expect((await importBig(app, other)).status).toBe(200);
});

test('a repeated request gets its first answer, also where the quota is used up', async ({ app }) => {
  const vendor = await app.organization();
  await importBig(app, vendor);
  const zip = bigPackage(app);
  const headers = { 'Idempotency-Key': randomUUID() };
  const first = await app.importPackage(vendor, zip, { headers });
  expect(first.status, first.text).toBe(200);
  expect((await importBig(app, vendor)).status).toBe(409);
  expect((await app.importPackage(vendor, zip, { headers })).body).toEqual(first.body);
});

test('what is uploaded for validation counts until it is removed, which is when it has been validated', async ({
  app,
}) => {
  const vendor = await app.organization();
  const query = '?validateOnly=true';
  for (let count = 0; count < 4; count += 1) {
    expect((await app.importPackage(vendor, bigPackage(app), { query })).status).toBe(200);
    // The answer does not wait for the removal.
    await expect.poll(async () => (await usageOf(app, vendor)).storedBytes as number).toBe(0);
  }
  await Promise.all([importBig(app, vendor), importBig(app, vendor)]);
  expect((await app.importPackage(vendor, bigPackage(app), { query })).body).toMatchObject(REFUSED);
});

/** Uploads without a Content-Length. */
async function uploadInPieces(app: TestApp, vendor: TestOrganization, zip: Buffer): Promise<number> {
  const body = Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="p.zip"\r\n\r\n'),
    zip,
    Buffer.from('\r\n--b--\r\n'),
  ]);
  return new Promise((resolve, reject) => {
    const sent = request(
      `${app.url}/api/v8.0/${vendor.id}/ImportModuleAsync`,
      {
        method: 'POST',
        headers: { Authorization: vendor.admin, 'Content-Type': 'multipart/form-data; boundary=b' },
      },
      (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.on('error', reject);
    sent.write(body.subarray(0, 1_000));
    sent.end(body.subarray(1_000));
  });
}

test('an upload of unknown length is refused when it has arrived, and removed', async ({ app }) => {
  const vendor = await app.organization();
  expect(await uploadInPieces(app, vendor, bigPackage(app))).toBe(200);
  expect(await uploadInPieces(app, vendor, bigPackage(app))).toBe(200);
  const stored = await app.api.database('imports').where({ organizationId: vendor.id });
  expect(await uploadInPieces(app, vendor, bigPackage(app))).toBe(409);
  expect(await app.api.database('imports').where({ organizationId: vendor.id })).toHaveLength(stored.length);
  const sizes: number[] = [];
  for await (const { sizeBytes } of app.api.storage.list(ARCHIVES)) sizes.push(sizeBytes);
  const { rows } = await app.api.database.raw<{ rows: { n: number }[] }>(
    `select (select count(*) from module_revisions) + (select count(*) from imports where archive_key is not null)
       + (select count(*) from freed_archives) as n`,
  );
  expect(sizes.length).toBe(rows[0]?.n);
});

test('a fresh process counts what others have stored', async ({ app }) => {
  const vendor = await app.organization();
  await Promise.all([importBig(app, vendor), importBig(app, vendor)]);
  const quota = new StorageQuota(app.api.organizationLimits, app.api.database, 7);
  const reservation = quota.open({ organizationId: vendor.id, idempotencyKey: null });
  await expect(reservation.growTo(100 * KB)).rejects.toMatchObject({ code: 'quota-exceeded' });
  await reservation.growTo(10 * KB);
  reservation.end(0);
});

test('usage names what is stored by revisions, deleted modules and uploads', async ({ app }) => {
  const vendor = await app.organization();
  const zip = bigPackage(app);
  const { body } = await app.importPackage(vendor, zip);
  expect(await usageOf(app, vendor)).toEqual({
    organizationId: vendor.id,
    ...{ modules: 1, revisions: 1, importsLastDay: 1 },
    ...{ storedBytes: zip.length, revisionBytes: zip.length, deletedModuleBytes: 0, uploadBytes: 0 },
    maxModules: app.config.quotas.maxModulesPerOrganization,
    maxStoredBytes: QUOTA,
  });
  const unchanged = await app.importPackage(vendor, bigPackage(app, { moduleId: 'no GUID' }));
  expect(unchanged.status).toBe(400);
  expect((await app.as(vendor).delete(`/modules/${body.moduleId}`)).status).toBe(204);
  const after = await usageOf(app, vendor);
  expect(after).toMatchObject({ modules: 0, revisions: 0, revisionBytes: 0, deletedModuleBytes: zip.length });
  expect(after.uploadBytes).toBeGreaterThan(100 * KB);
  expect(after.storedBytes).toBe(zip.length + Number(after.uploadBytes));
});

test('operators list the usage of all organizations, most bytes first, page by page', async ({ app }) => {
  const [small, large, farmer] = [
    await app.organization(),
    await app.organization(),
    await app.organization({ kind: 'farmer' }),
  ];
  await app.importPackage(small, samplePackage(app.api.catalogue));
  await Promise.all([importBig(app, large), importBig(app, large)]);
  const items = await app
    .as('operator')
    .pages<{ organizationId: string; storedBytes: number }>('/operations/usage');
  const bytes = items.map(({ storedBytes }) => storedBytes);
  expect(bytes).toEqual(bytes.toSorted((a, b) => b - a));
  const ids = items.map(({ organizationId }) => organizationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.indexOf(large.id)).toBeLessThan(ids.indexOf(small.id));
  expect(ids).toContain(farmer.id);
  expect(items.find(({ organizationId }) => organizationId === large.id)).toMatchObject({
    ...{ organizationName: `vendor ${large.id}`, kind: 'vendor', modules: 2 },
    maxStoredBytes: QUOTA,
  });
  expect((await app.as('operator').get('/operations/usage?cursor=x')).status).toBe(400);
});
