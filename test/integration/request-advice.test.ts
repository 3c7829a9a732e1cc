import { randomUUID } from 'node:crypto';
import { describe, expect, test as plainTest } from 'vitest';
import { REQUEST_PROBLEMS, type RequestProblemCode } from '../../api/http/request-problem-codes.ts';
import { PLACEHOLDER_FILES } from '../../shared/package/placeholders.ts';
import { importSample } from '../support/import-sample.ts';
import { areaIds, BOTH_AREAS, install, makeModule, sampleFarm } from '../support/machine-access.ts';
import { makeReviewedModule } from '../support/reviewed-module.ts';
import { MAIL_ALL_AT_ONCE } from '../support/notified-farmer.ts';
import { samplePackage, type SampleOptions } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.ts';
import { makeWebhook } from '../support/webhook-module.ts';

const test = serviceTest({ settings: { MAX_PACKAGE_BYTES: '100000', MAX_STRUCTURES_PER_ORGANIZATION: '4' } });

const zip = (app: TestApp, options?: SampleOptions) => samplePackage(app.api.catalogue, options);

/** Calls whose problem the caller can correct: the call as it fails, and as the detail or the remedy says. */
const CORRECTED: Partial<
  Record<RequestProblemCode, (app: TestApp) => Promise<readonly [failed: Answer, corrected: Answer]>>
> = {
  'import-rejected': async (app) => {
    const vendor = await app.organization();
    const failed = await app.importPackage(vendor, zip(app, { descriptor: { schema: '2.0' } }));
    const schema = /must be ("[^"]+")/.exec(String(failed.body.errors[0].detail))?.[1] ?? '';
    return [
      failed,
      await app.importPackage(vendor, zip(app, { descriptor: { schema: JSON.parse(schema) as string } })),
    ];
  },
  'request-file-missing': async (app) => {
    const vendor = await app.organization();
    const send = (body: FormData) =>
      app.fetch(`/api/v8.0/${vendor.id}/ImportModuleAsync`, {
        method: 'POST',
        headers: { Authorization: vendor.admin },
        body,
      });
    const form = new FormData();
    const [, field = ''] =
      /the form field (\w+),/.exec(REQUEST_PROBLEMS['request-file-missing'].remedy) ?? [];
    form.set(field, new Blob([Uint8Array.from(zip(app))]), 'package.zip');
    return [await send(new FormData()), await send(form)];
  },
  'request-too-large': async (app) => {
    const vendor = await app.organization();
    return [
      await app.importPackage(vendor, Buffer.alloc(300_000)),
      await app.importPackage(vendor, zip(app)),
    ];
  },
  'request-invalid': async (app) => {
    const own = app.as('operator');
    const organization = { kind: 'shop', tenantId: randomUUID(), name: 'Shop' };
    const path = `/organizations/${randomUUID()}`;
    const failed = await own.put(path, organization);
    const [, kind = ''] = / must be one of (\w+)/.exec(JSON.stringify(failed.body.errors)) ?? [];
    return [failed, await own.put(path, { ...organization, kind })];
  },
  'request-idempotency-mismatch': async (app) => {
    const vendor = await app.organization();
    const upload = (key: string, component: string) =>
      app.importPackage(vendor, zip(app, { descriptor: { component } }), {
        headers: { 'Idempotency-Key': key },
      });
    const key = randomUUID();
    await upload(key, 'a');
    return [await upload(key, 'b'), await upload(randomUUID(), 'b')];
  },
  'method-not-allowed': async (app) => {
    const own = app.as(await app.organization());
    const failed = await own.call('DELETE /imports');
    const [allowed = ''] = failed.headers.get('allow')?.split(', ') ?? [];
    return [failed, await own.call(`${allowed} /imports`)];
  },
  'auth-token-invalid': async (app) => [
    await app.fetch('/api/v8.0/CommonData'),
    await app.fetch('/api/v8.0/CommonData', {
      headers: { Authorization: (await app.organization()).admin },
    }),
  ],
  'auth-forbidden': async (app) => [
    await app.as(await app.organization()).get('/../operations/imports'),
    await app.as('operator').get('/operations/imports'),
  ],
  'organization-fixed': async (app) => {
    const { id, tenantId } = await app.organization();
    const put = (path: string) =>
      app.as('operator').put(`/organizations/${path}`, { name: 'x', kind: 'farmer', tenantId });
    return [await put(id), await put(randomUUID())];
  },
  'not-found': async (app) => {
    const vendor = await app.organization();
    const moduleId = await importSample(app, vendor);
    return [
      await app.as(vendor).get(`/modules/${randomUUID()}`),
      await app.as(vendor).get(`/modules/${moduleId}`),
    ];
  },
  'import-not-cancellable': async (app) => {
    const vendor = await app.organization();
    const imported = await app.importPackage(vendor, zip(app));
    const path = `/imports/${String(imported.body.importId)}`;
    return [await app.as(vendor).post(`${path}/cancel`), await app.as(vendor).get(path)];
  },
  'import-not-retryable': async (app) => {
    const vendor = await app.organization();
    const { importId } = (await app.importPackage(vendor, zip(app))).body as { importId: string };
    return [
      await app.as('operator').post(`/operations/imports/${importId}/retry`),
      await app.importPackage(vendor, zip(app)),
    ];
  },
  'webhook-not-enabled': async (app) => {
    const vendor = await app.organization();
    const own = app.as(vendor);
    const { path } = await makeWebhook(app, vendor, 'https://hooks.example.com/');
    await own.patch(path, { status: 'paused' });
    const failed = await own.post(`${path}/test`);
    const [, status = ''] = /its status to (\w+)/.exec(REQUEST_PROBLEMS['webhook-not-enabled'].remedy) ?? [];
    await own.patch(path, { status, url: 'https://hooks.example.com/' });
    const corrected = await own.post(`${path}/test`);
    await own.delete(path);
    return [failed, corrected];
  },
  'import-not-failed': async (app) => {
    const vendor = await app.organization();
    const imported = await app.importPackage(vendor, zip(app));
    const importId = String(imported.body.importId);
    return [
      await app.as('operator').post(`/operations/imports/${importId}/dismiss`),
      await app.as(vendor).get(`/imports/${importId}`),
    ];
  },
  'revision-current': async (app) => {
    const vendor = await app.organization();
    const moduleId = await importSample(app, vendor);
    const remove = () => app.as(vendor).delete(`/modules/${moduleId}/revisions/1`);
    const failed = await remove();
    await importSample(app, vendor, { descriptor: { moduleId, component: 'another' } });
    return [failed, await remove()];
  },
  'installation-dependency-missing': async (app) => {
    const vendor = await app.organization();
    const own = app.as(await app.organization({ kind: 'farmer', tenantId: vendor.tenantId }));
    const needed = await importSample(app, vendor);
    const moduleId = await importSample(app, vendor, { descriptor: { dependencies: [needed] } });
    const put = (id: string) => own.put(`/installations/${id}`);
    const failed = await put(moduleId);
    const [, named = ''] = /the module (\S+) first/.exec(String(failed.body.errors[0].detail)) ?? [];
    await put(named);
    return [failed, await put(moduleId)];
  },
  'installation-offer-changed': async (app) => {
    const vendor = await app.organization();
    const own = app.as(await app.organization({ kind: 'farmer', tenantId: vendor.tenantId }));
    const moduleId = await importSample(app, vendor);
    const see = async () => (await own.get(`/availableModules/${moduleId}`)).headers.get('etag') ?? '';
    const put = (etag: string) => own.put(`/installations/${moduleId}`, {}, { 'If-Match': etag });
    const seen = await see();
    await importSample(app, vendor, { descriptor: { moduleId, component: 'other' } });
    return [await put(seen), await put(await see())];
  },
  'installation-terms-changed': async (app) => {
    const vendor = await app.organization();
    const own = app.as(await app.organization({ kind: 'farmer', tenantId: vendor.tenantId }));
    const moduleId = await importSample(app, vendor);
    const put = (acceptedTerms: readonly string[]) =>
      own.put(`/installations/${moduleId}`, { acceptedTerms });
    const read = await own.get(`/availableModules/${moduleId}`);
    return [
      await put(['0'.repeat(64)]),
      await put((read.body.terms as { sha256: string }[]).map(({ sha256 }) => sha256)),
    ];
  },
  'revision-released': async (app) => {
    const vendor = await app.organization();
    const moduleId = await importSample(app, vendor);
    const own = app.as(vendor);
    const body = { organizationIds: [randomUUID()] };
    const path = `/modules/${moduleId}/revisions/1`;
    return [await own.put(`${path}/previewers`, body), await own.post(`${path}/release`, body)];
  },
  'revision-has-placeholders': async (app) => {
    const vendor = await app.organization();
    const files = { 'ModuleToS/terms.md': PLACEHOLDER_FILES.terms };
    const moduleId = await importSample(app, vendor, { files });
    const release = (revision: number) =>
      app.as(vendor).post(`/modules/${moduleId}/revisions/${revision}/release`);
    const failed = await release(1);
    await importSample(app, vendor, { descriptor: { moduleId } });
    return [failed, await release(2)];
  },
  'revision-awaits-review': async () => {
    const app = await startTestApp({ settings: { REVIEW_FIRST_RELEASES: 'true' } });
    const vendor = await app.organization();
    const moduleId = await importSample(app, vendor);
    const release = () => app.as(vendor).post(`/modules/${moduleId}/revisions/1/release`);
    const failed = await release();
    const { body } = await app.as(vendor).get(`/modules/${moduleId}/reviews`);
    const [{ id }] = body.items as [{ id: string }];
    const decision = { decision: 'approved', reason: 'It does what it says.' };
    await app.as('operator').post(`/operations/reviews/${id}/decide`, decision);
    const corrected = await release();
    await app.stop();
    return [failed, corrected];
  },
  'revision-scope-taken': async (app) => {
    const vendor = await app.organization();
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    const moduleId = await importSample(app, vendor, { descriptor: { scope: first } });
    const { catalogue } = app.api;
    const package2 = samplePackage(catalogue, { descriptor: { moduleId, scope: second } });
    await app.importPackage(vendor, package2, { query: '?renameScope=true' });
    await importSample(app, vendor, { descriptor: { scope: first } });
    const release = (revision: number) =>
      app.as(vendor).post(`/modules/${moduleId}/revisions/${revision}/release`);
    const failed = await release(1);
    const package3 = samplePackage(catalogue, { descriptor: { moduleId, scope: third } });
    await app.importPackage(vendor, package3, { query: '?release=staged&renameScope=true' });
    return [failed, await release(3)];
  },
  'report-open': async (app) => {
    const { report, decide } = await makeReviewedModule(app);
    const first = await report();
    const failed = await report();
    await decide(String(first.body.id));
    return [failed, await report()];
  },
  'review-decided': async (app) => {
    const { report, decide } = await makeReviewedModule(app);
    const id = String((await report()).body.id);
    await decide(id);
    const failed = await decide(id);
    const [, query = ''] = /with (\?\w+=\w+)/.exec(REQUEST_PROBLEMS['review-decided'].remedy) ?? [];
    return [failed, await app.as('operator').get(`/operations/reviews${query}`)];
  },
  'review-answered': async (app) => {
    const { vendor, moduleId, report, decide, answer } = await makeReviewedModule(app);
    const id = String((await report()).body.id);
    await decide(id);
    await answer(id);
    const [, path = ''] = /GET …(\S+)\./.exec(REQUEST_PROBLEMS['review-answered'].remedy) ?? [];
    return [await answer(id), await app.as(vendor).get(path.replace('{moduleId}', moduleId))];
  },
  'scope-in-use': async (app) => {
    const vendor = await app.organization();
    const scope = randomUUID();
    const moduleId = await importSample(app, vendor, { descriptor: { scope } });
    const free = () => app.as('operator').delete(`/operations/scopes/${vendor.tenantId}/${scope}`);
    const failed = await free();
    await app.as(vendor).delete(`/modules/${moduleId}`);
    return [failed, await free()];
  },
  'module-withdrawn': async (app) => {
    const vendor = await app.organization();
    const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
    const [withdrawn, other] = [await importSample(app, vendor), await importSample(app, vendor)];
    await app.as(vendor).post(`/modules/${withdrawn}/withdraw`, { reason: 'Old sensors.' });
    const put = (moduleId: string) => app.as(farmer).put(`/installations/${moduleId}`);
    return [await put(withdrawn), await put(other)];
  },
  'module-quarantined': async (app) => {
    const vendor = await app.organization();
    const moduleId = await importSample(app, vendor);
    const path = `/operations/modules/${moduleId}/quarantine`;
    await app.as('operator').post(path, { reason: 'It calls another server.' });
    const read = () => app.as(vendor).get(`/modules/${moduleId}/files/ModuleToS/terms.md`);
    const failed = await read();
    await app.as('operator').delete(path);
    return [failed, await read()];
  },
  'organization-suspended': async (app) => {
    const vendor = await app.organization();
    const path = `/operations/organizations/${vendor.id}/suspension`;
    await app.as('operator').put(path, { reason: 'Unpaid.', farmersKeepAccess: true });
    const read = () => app.as(vendor).get('/modules');
    await expect.poll(async () => (await read()).status).toBe(403);
    const failed = await read();
    await app.as('operator').delete(path);
    await expect.poll(async () => (await read()).status).toBe(200);
    return [failed, await read()];
  },
  'organization-in-use': async (app) => {
    const { vendor, moduleId } = await makeModule(app, await app.organization());
    await install(app, await app.organization({ kind: 'farmer', tenantId: vendor.tenantId }), moduleId);
    const remove = (query = '') => app.as('operator').delete(`/organizations/${vendor.id}${query}`);
    const [query] = /\?\w+=true/.exec(REQUEST_PROBLEMS['organization-in-use'].remedy) ?? [];
    return [await remove(), await remove(query)];
  },
  'address-unverified': async (app) => {
    const farmer = await app.organization({ kind: 'farmer' });
    const person = (claims: object) =>
      app.bearer({
        organizations: [{ id: farmer.id, roles: ['OrganizationMember'] }],
        claims: { ...claims },
      });
    const email = 'fiona@farm.example';
    const [unverified, verified] = [await person({ email }), await person({ email, email_verified: true })];
    return [
      await app.as(farmer, unverified).put('/notificationSettings', MAIL_ALL_AT_ONCE),
      await app.as(farmer, verified).put('/notificationSettings', MAIL_ALL_AT_ONCE),
    ];
  },
  'last-administrator': async (app) => {
    const vendor = await app.organization();
    const subject = randomUUID();
    const own = app.as(vendor, await app.bearer({ subject }));
    const roles = { roles: ['OrganizationAdmin'] };
    const put = (member: string) => app.as('operator').put(`/${vendor.id}/members/${member}`, roles);
    await put(subject);
    const failed = await own.delete(`/members/${subject}`);
    await put(randomUUID());
    return [failed, await own.delete(`/members/${subject}`)];
  },
  'registry-revision-changed': async (app) => {
    const vendor = await app.organization();
    const moduleId = await importSample(app, vendor);
    const upload = (etag: string) =>
      app.importPackage(vendor, zip(app, { descriptor: { moduleId } }), { headers: { 'If-Match': etag } });
    const failed = await upload('"7"');
    const { headers } = await app.as(vendor).get(`/modules/${moduleId}`);
    return [failed, await upload(headers.get('etag') ?? '')];
  },
  'structures-changed': async (app) => {
    const own = app.as(await app.organization({ kind: 'farmer' }));
    const farm = sampleFarm();
    const see = async () => (await own.get('/structures')).headers.get('etag') ?? '';
    const put = (etag: string) => own.put('/structures', { farms: [farm] }, { 'If-Match': etag });
    const seen = await see();
    await put('*');
    return [await put(seen), await put(await see())];
  },
  'quota-exceeded': async (app) => {
    const own = app.as(await app.organization({ kind: 'farmer' }));
    const put = () => own.put('/structures', { farms: [sampleFarm()] });
    await put();
    const failed = await put();
    await own.delete('/structures');
    return [failed, await put()];
  },
  'auth-api-key-invalid': async (app) => {
    const module = await makeModule(app, await app.organization());
    const rules = (key: string) => app.as({ ...module, key }).get('/RulesByModuleId');
    return [await rules('x'), await rules(module.key)];
  },
  'changes-expired': async (app) => {
    const own = app.as(await makeModule(app, await app.organization()));
    const failed = await own.get('/ChangesByModuleId?cursor=999999');
    const { body } = await own.get('/ChangesByModuleId');
    return [failed, await own.get(`/ChangesByModuleId?cursor=${body.nextCursor as string}`)];
  },
  'auth-data-area-missing': async (app) => {
    const module = await makeModule(app, await app.organization(), []);
    const failed = await app.as(module).get('/StructuresByModuleId');
    const { moduleId, vendor } = module;
    await importSample(app, vendor, { descriptor: { moduleId, dataAreaIds: areaIds(app, BOTH_AREAS) } });
    return [failed, await app.as(module).get('/StructuresByModuleId')];
  },
};

describe('who does literally what the problem of a request says succeeds:', () => {
  for (const [code, calls] of Object.entries(CORRECTED))
    test(code, async ({ app }) => {
      const [failed, corrected] = await calls(app);
      expect(failed.body.type).toBe(`/problems/${code}`);
      expect(corrected.status, corrected.text).toBeLessThan(300);
    });
});

/** Nothing in the request is wrong: the caller waits, or sends it again. */
const SEND_AGAIN: readonly string[] = [
  ...['import-still-running', 'import-failed', 'import-deadline-exceeded', 'import-cancelled'],
  ...['request-too-slow', 'rate-limited', 'unavailable'],
];

plainTest(
  'every code of requests is corrected here, or its remedy says when to send the request again',
  () => {
    const codes = [...Object.keys(CORRECTED), ...SEND_AGAIN];
    expect(codes.toSorted()).toEqual(Object.keys(REQUEST_PROBLEMS).toSorted());
    const remedies = Object.entries(REQUEST_PROBLEMS).filter(([code]) => SEND_AGAIN.includes(code));
    for (const [, { remedy }] of remedies)
      expect(remedy).toMatch(/^(?:Try again|Upload the package again|Read the import)/);
  },
);
