import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { RULE_VERSIONS } from '../../shared/package/rule-versions.ts';
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

test('anyone can read the hash of a released revision, by whom it was imported, and the rules that checked it', async ({
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
    importer: { kind: 'member', issuer: null, repository: null, workflow: null, commit: null, run: null },
    checks: Object.entries(RULE_VERSIONS).map(([name, version]) => ({ name, version })),
  });
  expect(text).not.toContain('issuer:');
  const etag = String(headers.get('etag'));
  const known = await app.fetch(`/api/v8.0/publicationRecords/${moduleId}`, {
    headers: { 'If-None-Match': etag },
  });
  expect(known.status).toBe(304);
});

test('a record names no person: its text has no subject of a token', async ({ app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  const own = await app.as(vendor).get(`/modules/${moduleId}/revisions/1`);
  const { text } = await recordOf(app, moduleId);
  expect(text).not.toContain(JSON.stringify(own.body.importedBy));
});

test('the import of a trusted publisher is recorded with its workflow, commit and run, also after both rows are gone', async ({
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
    workflow: 'acme/soil/.github/workflows/import.yml@refs/heads/main',
    commit: '4f2a91c7',
    run: '1234',
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
