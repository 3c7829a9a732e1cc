import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { areaIds } from '../support/machine-access.ts';
import { organizationBody } from '../support/organization-body.ts';
import type { SampleOptions } from '../support/sample-package.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
});

afterAll(() => app.stop());

/** A farmer in a country. */
async function farmerIn(countryCode: string | null): Promise<TestOrganization> {
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const body = organizationBody({ kind: 'farmer', tenantId: vendor.tenantId });
  await app.as('operator').put(`/organizations/${farmer.id}`, { ...body, countryCode });
  return farmer;
}

const TERMS = {
  'ModuleToS/terms.md': null,
  'ModuleToS/de.md': 'Bedingungen',
  'ModuleToS/de-en.md': 'Terms for Germany',
  'ModuleToS/us.md': 'Terms for the USA',
  'ModuleToS/all.md': 'Terms',
};

const FILES = [
  { file: 'ModuleToS/de.md', countryId: 'DEU', languageId: 'de' },
  { file: 'ModuleToS/de-en.md', countryId: '276', languageId: 'en' },
  { file: 'ModuleToS/us.md', countryId: 'US', languageId: 'en' },
  { file: 'ModuleToS/all.md', languageId: 'en' },
  { file: 'ModulePrivacy/privacy.md' },
  { file: 'ModuleLogo/logo.png' },
];

const importModule = (descriptor: SampleOptions['descriptor'] = {}, files: SampleOptions['files'] = {}) =>
  importSample(app, vendor, {
    descriptor: { moduleFiles: FILES, ...descriptor },
    files: { ...TERMS, ...files },
  });

interface Terms {
  readonly path: string;
  readonly sha256: string;
}

const pathsOf = (terms: readonly Terms[]) => terms.map(({ path }) => path);

/** The terms that a farmer reads in a language. */
async function termsFor(farmer: TestOrganization, moduleId: string, language = 'en'): Promise<Terms[]> {
  const { body } = await app.as(farmer).get(`/availableModules/${moduleId}?language=${language}`);
  return body.terms as Terms[];
}

const hashesFor = async (...call: Parameters<typeof termsFor>) =>
  (await termsFor(...call)).map(({ sha256 }) => sha256);

const install = (farmer: TestOrganization, moduleId: string, body?: object): Promise<Answer> =>
  app.as(farmer).put(`/installations/${moduleId}`, body);

test("the terms are those of the farmer's country, else those for every country, in the language of the reader", async () => {
  const moduleId = await importModule();
  const [german, american, french, anywhere] = await Promise.all(['DE', 'US', 'FR', null].map(farmerIn));
  const paths = async (farmer: TestOrganization | undefined, language: string) =>
    farmer && pathsOf(await termsFor(farmer, moduleId, language));
  expect(await paths(german, 'de-AT')).toEqual(['ModuleToS/de.md']);
  expect(await paths(german, 'fr')).toEqual(['ModuleToS/de-en.md']);
  expect(await paths(american, 'de')).toEqual(['ModuleToS/us.md']);
  expect(await paths(french, 'fr')).toEqual(['ModuleToS/all.md']);
  expect(await paths(anywhere, 'en')).toEqual(['ModuleToS/all.md']);
});

test('each consent is recorded with who gave it, the revision, the data areas and the terms, and is never changed', async () => {
  const farmer = await farmerIn('DE');
  const dataAreaIds = areaIds(app, ['FarmOrganization']);
  const moduleId = await importModule({ dataAreaIds });
  const acceptedTerms = await hashesFor(farmer, moduleId, 'de');
  const installed = await install(farmer, moduleId, { acceptedTerms });
  expect(installed.body).toMatchObject({ acceptedTerms, consentPending: false, pendingConsent: null });
  await install(farmer, moduleId, { acceptedDataAreaIds: [] });
  await app.as(farmer).delete(`/installations/${moduleId}`);
  await app.as(vendor).delete(`/modules/${moduleId}`);
  const { status, body } = await app.as(farmer, farmer.member).get(`/consents?moduleId=${moduleId}`);
  expect(status).toBe(200);
  expect(body.items).toMatchObject([
    { moduleId, revision: 1, dataAreaIds: [], terms: [], givenBy: 'tester' },
    {
      ...{ moduleId, revision: 1, dataAreaIds, givenBy: 'tester' },
      terms: [{ path: 'ModuleToS/de.md', sha256: acceptedTerms[0], countryId: 'DEU', languageId: 'de' }],
    },
  ]);
  expect((await app.as(await farmerIn('DE')).get('/consents')).body.items).toEqual([]);
});

test('terms that are not the current ones, or only a part of them, are refused with the hashes of the current ones', async () => {
  const farmer = await farmerIn('DE');
  const second = { file: 'ModuleToS/second.md', countryId: 'DE', languageId: 'de' };
  const moduleId = await importModule(
    { moduleFiles: [...FILES, second] },
    { 'ModuleToS/second.md': 'Zweiter Teil' },
  );
  const terms = await hashesFor(farmer, moduleId, 'de');
  const american = await hashesFor(await farmerIn('US'), moduleId);
  for (const acceptedTerms of [[], american, terms.slice(1), [...terms, ...american]]) {
    const refused = await install(farmer, moduleId, { acceptedTerms });
    expect([refused.status, refused.body.type]).toEqual([409, '/problems/installation-terms-changed']);
    for (const hash of terms) expect(refused.text).toContain(hash);
  }
  expect((await app.as(farmer).get(`/installations/${moduleId}`)).status).toBe(404);
  expect((await install(farmer, moduleId, { acceptedTerms: terms })).status).toBe(201);
});

test('other terms for the country make consent pending and widen nothing; terms of other countries do not', async () => {
  const farmer = await farmerIn('DE');
  const [fields = '', alerts = ''] = areaIds(app, ['FarmOrganization', 'FarmOrganizationAlerts']);
  const moduleId = await importModule({ dataAreaIds: [fields] });
  await install(farmer, moduleId, { acceptedTerms: await hashesFor(farmer, moduleId, 'de') });
  const read = async () => (await app.as(farmer).get(`/installations/${moduleId}`)).body as object;

  await importModule({ moduleId, dataAreaIds: [fields] }, { 'ModuleToS/us.md': 'New terms for the USA' });
  expect(await read()).toMatchObject({ consentPending: false, pendingConsent: null });

  await importModule({ moduleId, dataAreaIds: [fields, alerts] }, { 'ModuleToS/de.md': 'Neue Bedingungen' });
  const pending = await read();
  expect(pending).toMatchObject({
    ...{ consentPending: true, acceptedDataAreaIds: [fields], revision: 1 },
    pendingConsent: { revision: 3, dataAreaIds: [alerts] },
  });
  // Both languages are listed: those who accept one of them have accepted the terms.
  const { terms } = (pending as { pendingConsent: { terms: Terms[] } }).pendingConsent;
  expect(pathsOf(terms)).toEqual(['ModuleToS/de-en.md', 'ModuleToS/de.md']);

  // Less access needs no new terms.
  await install(farmer, moduleId, { acceptedDataAreaIds: [] });
  expect(await read()).toMatchObject({ consentPending: true, pendingConsent: { dataAreaIds: [] } });
  await install(farmer, moduleId, { acceptedTerms: await hashesFor(farmer, moduleId, 'de') });
  expect(await read()).toMatchObject({ consentPending: false, pendingConsent: null });
});

test('a module is not installed before those that it depends on; narrowing its access needs none', async () => {
  const farmer = await farmerIn(null);
  const needed = [await importModule(), await importModule()];
  const moduleId = await importModule({ dependencies: needed });
  const refused = await install(farmer, moduleId);
  expect([refused.status, refused.body.type]).toEqual([409, '/problems/installation-dependency-missing']);
  for (const id of needed) expect(refused.text).toContain(id);
  await install(farmer, needed[0] ?? '');
  const page = await app.as(farmer).get(`/availableModules/${moduleId}`);
  expect(page.body.dependencies).toEqual(
    needed
      .map((id) => ({ moduleId: id, name: 'Soil moisture', installed: id === needed[0] }))
      .toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1)),
  );
  await install(farmer, needed[1] ?? '');
  expect((await install(farmer, moduleId)).status).toBe(201);
  await app.as(farmer).delete(`/installations/${needed[0]}`);
  expect((await install(farmer, moduleId, { acceptedDataAreaIds: [] })).status).toBe(200);
});

test('a module that names itself among its dependencies depends on nothing, and can be installed', async () => {
  const farmer = await farmerIn(null);
  const moduleId = randomUUID();
  await importModule({ moduleId, dependencies: [moduleId.toUpperCase()] });
  const offer = await app.as(farmer).get(`/availableModules/${moduleId}`);
  expect(offer.body.dependencies).toEqual([]);
  expect((await install(farmer, moduleId)).status).toBe(201);
});

test('an import that depends on a module which the tenant does not have gets a warning; on a known one, none', async () => {
  const known = await importModule();
  const foreign = await importSample(app, await app.organization());
  const [unknown, moduleId] = [randomUUID(), randomUUID()];
  const warnings = async (dependencies: readonly string[]) => {
    const id = await importModule({ moduleId, dependencies });
    const { body } = await app.as(vendor).get(`/imports?moduleId=${id}&limit=1`);
    return (body.items[0] as { warnings: { code: string; detail: string }[] }).warnings.filter(
      ({ code }) => code === 'registry-dependency-unknown',
    );
  };
  const found = await warnings([known, unknown, foreign]);
  expect(found.map(({ detail }) => / ID (\S+)\./.exec(detail)?.[1]).toSorted()).toEqual(
    [unknown, foreign].toSorted(),
  );
  expect(await warnings([known, moduleId])).toEqual([]);
});

test('no number of later consents erases the record of an earlier one', async () => {
  const farmer = await farmerIn('DE');
  const moduleId = await importModule({ dataAreaIds: areaIds(app, ['FarmOrganization']) });
  const { database } = app.api;
  expect((await app.as(farmer).put(`/installations/${moduleId}`)).status).toBe(201);
  const given = () => database('consents').where({ organizationId: farmer.id });
  await database.raw(
    `insert into consents (id, organization_id, module_id, revision, data_area_ids, terms, given_by, trace_id, created_at)
     select gen_random_uuid(), organization_id, module_id, revision, '{}', '[]', '', '', created_at + number * interval '1 millisecond'
     from consents, generate_series(1, 1100) number where organization_id = ?`,
    [farmer.id],
  );
  const before = await given().pluck<string[]>('id');
  const body = { acceptedDataAreaIds: [] };
  expect((await app.as(farmer).put(`/installations/${moduleId}`, body)).status).toBe(200);
  const kept = await given().pluck<string[]>('id');
  expect(kept).toHaveLength(1_102);
  expect(kept).toEqual(expect.arrayContaining(before));
});
