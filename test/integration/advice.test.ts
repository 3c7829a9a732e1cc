import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { PACKAGE_PROBLEMS } from '../../shared/package/problem-codes.ts';
import { importSample } from '../support/import-sample.ts';
import { samplePackage, type SampleOptions } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp } from '../support/test-app.ts';

const test = serviceTest({
  settings: {
    MAX_MODULES_PER_ORGANIZATION: '9',
  },
});

const zip = (app: TestApp, options?: SampleOptions) => samplePackage(app.api.catalogue, options);

/** The detail of the one error of a rejected package. */
function detailOf({ body }: Answer, code: string): string {
  expect(body.errors).toMatchObject([{ code }]);
  return String(body.errors[0].detail);
}

/** The members of a descriptor that a message quotes, such as `"moduleId": "…"`. */
function quotedMember(detail: string): Record<string, unknown> {
  const [member] = /"\w+": "[^"]+"/.exec(detail) ?? [];
  return JSON.parse(`{${String(member)}}`) as Record<string, unknown>;
}

describe('who does literally what the registry says gets the package imported:', () => {
  test('registry-scope-taken of an own module: with the moduleId that the message quotes', async ({
    app,
    vendor,
  }) => {
    const scope = `scope-${randomUUID()}`;
    const moduleId = await importSample(app, vendor, { descriptor: { scope } });
    const refused = await app.importPackage(vendor, zip(app, { descriptor: { scope, component: 'b' } }));
    const descriptor = { scope, component: 'b', ...quotedMember(detailOf(refused, 'registry-scope-taken')) };
    const answer = await app.importPackage(vendor, zip(app, { descriptor }));
    expect(answer.body).toMatchObject({ outcome: 'updated', moduleId });
  });

  test('registry-scope-taken of another organization: with another scope', async ({ app, vendor }) => {
    const scope = `scope-${randomUUID()}`;
    await importSample(app, vendor, { descriptor: { scope } });
    const neighbour = await app.organization({ tenantId: vendor.tenantId });
    const refused = await app.importPackage(neighbour, zip(app, { descriptor: { scope } }));
    expect(detailOf(refused, 'registry-scope-taken')).toContain('Choose another one.');
    await importSample(app, neighbour, { descriptor: { scope: `${scope}-2` } });
  });

  test('registry-module-id-not-allowed: without the moduleId', async ({ app, vendor }) => {
    const moduleId = await importSample(app, vendor);
    const other = await app.organization();
    const refused = await app.importPackage(other, zip(app, { descriptor: { moduleId } }));
    expect(detailOf(refused, 'registry-module-id-not-allowed')).toContain('Leave it out to get a new one');
    await importSample(app, other);
  });

  test('registry-module-id-not-allowed of an upload for a module: with the moduleId that the message quotes, or without one', async ({
    app,
    vendor,
  }) => {
    const moduleId = await importSample(app, vendor);
    const query = `?moduleId=${moduleId}`;
    const wrong = zip(app, { descriptor: { moduleId: randomUUID() } });
    const detail = detailOf(
      await app.importPackage(vendor, wrong, { query }),
      'registry-module-id-not-allowed',
    );
    for (const descriptor of [quotedMember(detail), {}]) {
      const answer = await app.importPackage(vendor, zip(app, { descriptor }), { query });
      expect(answer.body).toMatchObject({ outcome: 'unchanged', moduleId });
    }
  });

  test('registry-quota-exceeded: after a module is deleted, or with the moduleId of one', async ({ app }) => {
    const vendor = await app.organization();
    const modules: string[] = [];
    for (let index = 0; index < 9; index += 1) modules.push(await importSample(app, vendor));
    const refused = await app.importPackage(vendor, zip(app));
    expect(detailOf(refused, 'registry-quota-exceeded')).toContain('Delete one that is no longer needed, or');
    await importSample(app, vendor, { descriptor: { moduleId: modules[1] } });
    expect((await app.as(vendor).delete(`/modules/${String(modules[0])}`)).status).toBe(204);
    await importSample(app, vendor);
  });

  test('registry-revision-changed: with the newest revision, as it is read', async ({ app, vendor }) => {
    const moduleId = await importSample(app, vendor);
    const upload = (etag: string) =>
      app.importPackage(vendor, zip(app, { descriptor: { moduleId, component: 'b' } }), {
        headers: { 'If-Match': etag },
      });
    const refused = await upload('"7"');
    expect([refused.status, refused.body.type]).toEqual([412, '/problems/registry-revision-changed']);
    expect(PACKAGE_PROBLEMS['registry-revision-changed'].remedy).toContain('with the newest revision');
    const { body } = await app.as(vendor).get(`/modules/${moduleId}`);
    expect((await upload(`"${String(body.newestRevision)}"`)).body).toMatchObject({ outcome: 'updated' });
  });

  test('registry-member-removed: with the member again', async ({ app, vendor }) => {
    const moduleId = await importSample(app, vendor, { descriptor: { component: 'App' } });
    const warned = await app.importPackage(vendor, zip(app, { descriptor: { moduleId } }));
    expect(warned.text).toContain('registry-member-removed');
    const again = await app.importPackage(vendor, zip(app, { descriptor: { moduleId, component: 'App' } }));
    expect(again.text).not.toContain('registry-member-removed');
  });

  test('layout-part-removed: with the folder again', async ({ app, vendor }) => {
    const moduleId = await importSample(app, vendor);
    const files = { 'AlertRuleDefinitionFile/alert-rules.yaml': null };
    const warned = await app.importPackage(vendor, zip(app, { descriptor: { moduleId }, files }));
    expect(warned.body.warnings[0]).toMatchObject({ code: 'layout-part-removed' });
    const again = await app.importPackage(vendor, zip(app, { descriptor: { moduleId } }));
    expect(again.text).not.toContain('layout-part-removed');
    expect(again.body).toMatchObject({ outcome: 'updated' });
  });
});
