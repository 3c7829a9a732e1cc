import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { RULE_VERSIONS } from '../../shared/package/record/rule-versions.ts';
import { startCiIssuer } from '../support/ci-issuer.ts';
import { importSample } from '../support/import-sample.ts';
import { packageForm } from '../support/package-form.ts';
import { exchange, LOOPBACK_ISSUERS, publishingModule } from '../support/publishing-module.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp } from '../support/test-app.ts';

const test = serviceTest({ settings: LOOPBACK_ISSUERS });

/** The record of a module, without any credential. */
async function recordOf(app: TestApp, moduleId: string, query = ''): Promise<Answer> {
  return app.fetch(`/api/v8.0/publicationRecords/${moduleId}${query}`);
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

test('anyone can read the hashes of a released revision, by whom it was imported, and the rules that checked it', async ({
  app,
  vendor,
}) => {
  const zip = samplePackage(app.api.catalogue, { descriptor: { scope: randomUUID() } });
  const imported = await app.importPackage(vendor, zip);
  const moduleId = String(imported.body.moduleId);
  const { status, body, headers, text } = await recordOf(app, moduleId);
  expect(status, text).toBe(200);
  expect(body).toMatchObject({
    moduleId,
    revision: 1,
    organizationId: vendor.id,
    archiveSha256: sha256(zip),
    archiveBytes: zip.length,
    importer: { kind: 'member', issuer: null, repository: null, commit: null, run: null },
    checks: Object.entries(RULE_VERSIONS).map(([name, version]) => ({ name, version })),
  });
  const files = body.files as { path: string; sha256: string }[];
  const module = await app.as(vendor).get(`/modules/${moduleId}`);
  expect(files).toEqual(module.body.files);
  const lines = files
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map((each) => `${each.sha256}  ${each.path}\n`);
  expect(body.filesSha256).toBe(sha256(lines.join('')));
  expect(text).not.toContain('issuer:');
  const etag = String(headers.get('etag'));
  const known = await app.fetch(`/api/v8.0/publicationRecords/${moduleId}`, {
    headers: { 'If-None-Match': etag },
  });
  expect(known.status).toBe(304);
  const short = await recordOf(app, moduleId, '?files=false');
  expect(short.body).toEqual({ ...body, files: null });
  expect(short.headers.get('etag')).not.toBe(etag);
});

test('a record names no person: its text has no subject of a token', async ({ app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  const own = await app.as(vendor).get(`/modules/${moduleId}/revisions/1`);
  const { text } = await recordOf(app, moduleId);
  expect(text).not.toContain(JSON.stringify(own.body.importedBy));
});

test('the import of a trusted publisher is recorded with its repository and commit, also after both rows are gone', async ({
  app,
  vendor,
}) => {
  const issuer = await startCiIssuer();
  const moduleId = await publishingModule(app, vendor, issuer.url);
  const { body } = await exchange(app, moduleId, await issuer.token());
  await issuer.stop();
  const zip = samplePackage(app.api.catalogue, { descriptor: { moduleId, component: 'ci' } });
  const imported = await app.fetch(`/api/v8.0/${vendor.id}/ImportModuleAsync`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${String(body.accessToken)}` },
    body: packageForm(zip),
  });
  expect(imported.body).toMatchObject({ status: 'succeeded', revision: 2 });
  await app.as(vendor).put(`/trustedPublishers/${moduleId}`, { items: [] });
  await app.api.database('imports').where({ moduleId }).delete();
  const importer = {
    kind: 'trustedPublisher',
    issuer: issuer.url,
    repository: 'acme/soil',
    commit: '4f2a91c7',
  };
  expect((await recordOf(app, moduleId)).body).toMatchObject({ revision: 2, importer });
  expect((await recordOf(app, moduleId, '?revision=1')).body).toMatchObject({
    revision: 1,
    importer: { kind: 'member', repository: null },
  });
  const own = await app.as(vendor).get(`/modules/${moduleId}/revisions/2`);
  expect(own.body.importedBy).toContain('acme/soil@4f2a91c7');
});

test('there is no record of what is staged, unknown or deleted', async ({ app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  const zip = samplePackage(app.api.catalogue, { descriptor: { moduleId, component: 'next' } });
  const staged = await app.importPackage(vendor, zip, { query: '?release=staged' });
  expect(staged.body).toMatchObject({ revision: 2, released: false });
  expect((await recordOf(app, moduleId, '?revision=2')).status).toBe(404);
  expect((await recordOf(app, moduleId)).body.revision).toBe(1);
  await app.as(vendor).post(`/modules/${moduleId}/revisions/2/release`);
  expect((await recordOf(app, moduleId)).body.revision).toBe(2);
  expect((await recordOf(app, randomUUID())).status).toBe(404);
  await app.as(vendor).delete(`/modules/${moduleId}`);
  expect((await recordOf(app, moduleId)).status).toBe(404);
});

test('the values of environment variables change no hash of the descriptor', async ({ app, vendor }) => {
  const appEnvironmentId = randomUUID();
  const withValue = async (value: string) => {
    const environmentVariables = [{ appEnvironmentId, key: 'PIN', value }];
    const moduleId = await importSample(app, vendor, { descriptor: { environmentVariables } });
    return recordOf(app, moduleId);
  };
  const [first, second] = [await withValue('1234'), await withValue('4321')];
  // Each has another module ID, which is part of the descriptor: the same module is imported again instead.
  expect(first.body.descriptorSha256).not.toBe(second.body.descriptorSha256);
  const moduleId = String(first.body.moduleId);
  const environmentVariables = [{ appEnvironmentId, key: 'PIN', value: '9999' }];
  await importSample(app, vendor, { descriptor: { moduleId, environmentVariables } });
  const changed = await recordOf(app, moduleId);
  expect(changed.body).toMatchObject({ revision: 2, descriptorSha256: first.body.descriptorSha256 });
});

test('a record with many files names each of them', async ({ app, vendor }) => {
  const names = Array.from({ length: 2_100 }, (_, index) => `PackageArtifact/build/file-${index}.txt`);
  const files = Object.fromEntries(names.map((name) => [name, name]));
  const moduleId = await importSample(app, vendor, { files });
  const { body } = await recordOf(app, moduleId);
  const paths = new Set((body.files as { path: string }[]).map(({ path }) => path));
  expect(names.filter((name) => !paths.has(name))).toEqual([]);
});
