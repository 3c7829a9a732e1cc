import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { writeRelease } from '../../shared/db/modules/releases.ts';
import { importSample } from '../support/import-sample.ts';
import { lockedCalls } from '../support/lock-waits.ts';
import { areaIds } from '../support/machine-access.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import { samplePackage, type SampleOptions } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';
import { holdTransaction } from '../support/held-lock.ts';

const test = serviceTest();

const FILES = [
  { file: 'ModuleToS/de.md', countryId: 'DE', languageId: 'de' },
  { file: 'ModuleToS/de-en.md', countryId: 'DE', languageId: 'en' },
  { file: 'ModuleToS/all.md', languageId: 'en' },
  { file: 'ModulePrivacy/privacy.md' },
  { file: 'ModuleLogo/logo.png' },
];
const TEXTS = {
  'ModuleToS/terms.md': null,
  'ModuleToS/de.md': 'Bedingungen',
  'ModuleToS/de-en.md': 'Terms for Germany',
  'ModuleToS/all.md': 'Terms',
};

/** The next revision of a module whose members and files differ from those of the first one. */
const nextRevision = (
  app: TestApp,
  vendor: TestOrganization,
  moduleId: string,
  { descriptor = {}, files = {} }: SampleOptions = {},
) =>
  importSample(app, vendor, {
    descriptor: { moduleId, moduleFiles: FILES, component: randomUUID(), ...descriptor },
    files: { ...TEXTS, ...files },
  });

const newModule = (app: TestApp, vendor: TestOrganization, options?: SampleOptions) =>
  nextRevision(app, vendor, randomUUID(), options);

/** A revision that is not released. */
async function stage(app: TestApp, vendor: TestOrganization, moduleId: string, descriptor: object = {}) {
  const members = { moduleId, moduleFiles: FILES, component: randomUUID(), ...descriptor };
  const zip = samplePackage(app.api.catalogue, { descriptor: members, files: TEXTS });
  const { body } = await app.importPackage(vendor, zip, { query: '?release=staged' });
  return body.revision as number;
}

async function setCountry(app: TestApp, { id, tenantId }: TestOrganization, countryCode: string | null) {
  const body = { name: 'Farm', kind: 'farmer', tenantId, countryCode };
  expect((await app.as('operator').put(`/organizations/${id}`, body)).status).toBe(200);
}

/** What a farmer does: reads an offer and its tag, and installs with a tag. */
function farming(app: TestApp, farmer: TestOrganization, moduleId: string) {
  const own = app.as(farmer);
  const read = (language = 'en', headers = {}) =>
    own.get(`/availableModules/${moduleId}?language=${language}`, headers);
  return {
    read,
    see: async (language?: string) => (await read(language)).headers.get('etag') ?? '',
    install: (tag: string, body?: object) => own.put(`/installations/${moduleId}`, body, { 'If-Match': tag }),
    plainInstall: (body?: object) => own.put(`/installations/${moduleId}`, body),
    installed: () => own.get(`/installations/${moduleId}`),
    consents: async () =>
      (await own.get(`/consents?moduleId=${moduleId}`)).body.items as Readonly<Record<string, unknown>>[],
  };
}

const newFarmer = (app: TestApp, vendor: TestOrganization) =>
  app.organization({ kind: 'farmer', tenantId: vendor.tenantId });

const CHANGED = '/problems/installation-offer-changed';

test('a release between the look and the click: 412 with what changed, and nothing is recorded until the farmer agrees to it', async ({
  app,
  vendor,
  farmer,
}) => {
  const [fields, alerts] = areaIds(app, ['FarmOrganization', 'FarmOrganizationAlerts']);
  const moduleId = await newModule(app, vendor, {
    descriptor: { dataAreaIds: [fields], vendorInternalCodeVersion: '1.4' },
  });
  const own = farming(app, farmer, moduleId);
  const seen = await own.see();
  await nextRevision(app, vendor, moduleId, {
    descriptor: { dataAreaIds: [alerts, fields] },
    files: { 'ModuleToS/all.md': 'Other terms' },
  });
  const refused = await own.install(seen);
  expect([refused.status, refused.body.type]).toEqual([412, CHANGED]);
  expect(refused.body.changes).toEqual({
    ...{ sinceRevision: 1, sinceVendorVersion: '1.4', parts: ['dataAreas', 'terms'] },
    ...{ addedDataAreaIds: [alerts], removedDataAreaIds: [] },
  });
  const words = (refused.body.errors as { detail: string }[]).map(({ detail }) => detail).join(' ');
  expect(words).toContain('It requests in addition: Farm organization alerts. Its terms are others.');
  expect((await own.installed()).status).toBe(404);
  expect(await own.consents()).toEqual([]);

  const agreed = await own.install(await own.see());
  expect([agreed.status, agreed.body.seenRevision]).toEqual([201, 2]);
  expect(await own.consents()).toMatchObject([{ revision: 2, seenRevision: 2 }]);
});

test('a release that is being written when the farmer clicks is waited for: the check is made under the lock', async ({
  app,
  vendor,
  farmer,
}) => {
  const moduleId = await newModule(app, vendor);
  await stage(app, vendor, moduleId);
  const own = farming(app, farmer, moduleId);
  const seen = await own.see();
  const releasing = await holdTransaction(app.api.database);
  await writeRelease(releasing, moduleId, 2, null, FIXTURE_ACTOR);
  const installing = own.install(seen);
  await expect.poll(() => lockedCalls(app)).toBeGreaterThan(0);
  await releasing.commit();
  expect((await installing).status).toBe(412);
});

test('without If-Match what is current is accepted, and the record says that nothing was seen', async ({
  app,
  vendor,
  farmer,
}) => {
  const moduleId = await newModule(app, vendor);
  const own = farming(app, farmer, moduleId);
  expect((await own.install(await own.see())).body.seenRevision).toBe(1);
  await nextRevision(app, vendor, moduleId);
  expect((await own.plainInstall()).body).toMatchObject({ revision: 2, seenRevision: null });
  expect((await own.install('*')).body).toMatchObject({ revision: 2, seenRevision: null });
  expect((await own.installed()).body.seenRevision).toBe(null);
  expect((await own.consents()).map(({ seenRevision }) => seenRevision)).toEqual([null, null, 1]);
});

const OTHERS: Readonly<Record<string, (app: TestApp) => SampleOptions>> = {
  texts: ({ api: { catalogue } }) => ({
    descriptor: { translations: [{ languageId: catalogue.englishId, moduleName: 'Soil and sun' }] },
  }),
  prices: () => ({
    descriptor: {
      subscriptionOptions: [{ paymentCycleId: randomUUID(), currencyId: randomUUID(), price: 3.5 }],
    },
  }),
  dataAreas: (app) => ({ descriptor: { dataAreaIds: areaIds(app, ['FarmMember']) } }),
  terms: () => ({ files: { 'ModuleToS/all.md': 'Other terms' } }),
  privacy: () => ({ files: { 'ModulePrivacy/privacy.md': 'Other statement' } }),
};

test.for([...Object.keys(OTHERS), 'application'])(
  'another revision with other %s is refused, and so is a roll-back to the one before',
  async (part, { app, vendor, farmer }) => {
    const moduleId = await newModule(app, vendor);
    const own = farming(app, farmer, moduleId);
    const parts = part === 'application' ? [] : [part];
    const first = await own.see();
    await nextRevision(app, vendor, moduleId, OTHERS[part]?.(app));
    const second = await own.see();
    const late = await own.install(first);
    expect([late.status, late.body.changes]).toMatchObject([412, { sinceRevision: 1, parts }]);
    await app.as(vendor).post(`/modules/${moduleId}/revisions/1/release`);
    const rolledBack = await own.install(second);
    expect([rolledBack.status, rolledBack.body.changes]).toMatchObject([412, { sinceRevision: 2, parts }]);
    expect((await own.install(first)).status).toBe(201);
  },
);

test('the terms that are recorded are those in the language that was read, unless others are accepted by their hash', async ({
  app,
  vendor,
}) => {
  const farmer = await newFarmer(app, vendor);
  await setCountry(app, farmer, 'DE');
  const own = farming(app, farmer, await newModule(app, vendor));
  const hashesIn = async (language: string) =>
    ((await own.read(language)).body.terms as { sha256: string }[]).map(({ sha256 }) => sha256);
  const [german, english] = [await hashesIn('de'), await hashesIn('en')];
  expect(german).not.toEqual(english);
  for (const [language, body, accepted] of [
    ['de', undefined, german],
    ['en', undefined, english],
    ['de', { acceptedTerms: english }, english],
    ['en', { acceptedDataAreaIds: [] }, english],
  ] as const) {
    const answer = await own.install(await own.see(language), body);
    expect(answer.body).toMatchObject({ acceptedTerms: accepted, seenRevision: 1 });
  }
});

test('another country of the organization, with other terms, is another offer of the same revision', async ({
  app,
  vendor,
}) => {
  const farmer = await newFarmer(app, vendor);
  const own = farming(app, farmer, await newModule(app, vendor));
  const seen = await own.see();
  await setCountry(app, farmer, 'FR');
  expect((await own.install(seen)).status).toBe(201);
  await setCountry(app, farmer, 'DE');
  const refused = await own.install(seen);
  expect([refused.status, refused.body.changes]).toMatchObject([412, { sinceRevision: 1, parts: ['terms'] }]);
  expect((await own.installed()).body).toMatchObject({ consentPending: true });
});

test('what is not part of the offer changes no consent: its tag stays good, while the page is read anew', async ({
  app,
  vendor,
  farmer,
}) => {
  const moduleId = await newModule(app, vendor);
  const own = farming(app, farmer, moduleId);
  const seen = await own.see();
  const known = await own.read('en', { 'If-None-Match': seen });
  expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', seen]);
  expect((await own.install(seen)).status).toBe(201);
  // It is installed now: the page says so.
  const anew = await own.read('en', { 'If-None-Match': seen });
  expect([anew.status, anew.body.installed]).toEqual([200, true]);
  expect((await own.install(seen)).status).toBe(200);
  await app.as(vendor).post(`/modules/${moduleId}/withdraw`, { reason: 'Old.' });
  expect((await own.install(seen)).status).toBe(200);
  const late = farming(app, await newFarmer(app, vendor), moduleId);
  expect((await late.install(seen)).body.type).toBe('/problems/module-withdrawn');
});

test('a tag of another module, a garbled one and none of a list that fits are refused; a weak one and one of a list fit', async ({
  app,
  vendor,
  farmer,
}) => {
  const own = farming(app, farmer, await newModule(app, vendor));
  const seen = await own.see();
  const other = await farming(app, farmer, await newModule(app, vendor)).see();
  for (const tag of [other, '""', '"1"', `"${'1.'.repeat(6)}"`, `"x${seen.slice(1)}`, `${other}, "1"`]) {
    const refused = await own.install(tag);
    expect([tag, refused.status, refused.body.type]).toEqual([tag, 412, CHANGED]);
  }
  expect((await own.install('"1"')).body).not.toHaveProperty('changes');
  for (const tag of ['1', '', seen.slice(1), `${seen},`, `${seen} ${seen}`])
    expect([tag, (await own.install(tag)).body.type]).toEqual([tag, '/problems/request-invalid']);
  expect((await own.installed()).status).toBe(404);
  expect((await own.install(`"1", ${seen}`)).status).toBe(201);
  // A proxy that compresses makes the tag weak.
  expect((await own.install(`W/${seen}`)).status).toBe(200);
});

test('the refusal shows nothing of a revision that was never released, to those who saw it and to those who guess', async ({
  app,
  vendor,
  farmer,
}) => {
  const dataAreaIds = areaIds(app, ['FarmMember']);
  const moduleId = await newModule(app, vendor);
  const revision = await stage(app, vendor, moduleId, { dataAreaIds });
  const previewers = (organizationIds: readonly string[]) =>
    app.as(vendor).put(`/modules/${moduleId}/revisions/${revision}/previewers`, { organizationIds });
  const own = farming(app, farmer, moduleId);
  await previewers([farmer.id]);
  const preview = await own.see();
  await previewers([]);
  const current = await own.see();
  const nothing = { sinceVendorVersion: null, addedDataAreaIds: [], removedDataAreaIds: [] };
  expect((await own.install(preview)).body.changes).toEqual({
    ...nothing,
    ...{ sinceRevision: revision, parts: ['dataAreas'] },
  });
  expect((await own.install(current.replace('"1.', `"${revision}.`))).body.changes).toEqual({
    ...nothing,
    ...{ sinceRevision: revision, parts: [] },
  });
});

test('consent that is pending is given to the offer that was seen, and less access is too', async ({
  app,
  vendor,
  farmer,
}) => {
  const moduleId = await newModule(app, vendor);
  const own = farming(app, farmer, moduleId);
  await own.install(await own.see());
  const wide = { descriptor: { dataAreaIds: areaIds(app, ['FarmOrganization']) } };
  await nextRevision(app, vendor, moduleId, wide);
  const seen = await own.see();
  await nextRevision(app, vendor, moduleId, { ...wide, files: { 'ModuleToS/all.md': 'Other terms' } });
  for (const body of [undefined, { acceptedDataAreaIds: [] }])
    expect((await own.install(seen, body)).status).toBe(412);
  expect((await own.installed()).body).toMatchObject({ consentPending: true, revision: 1, seenRevision: 1 });
  const agreed = await own.install(await own.see());
  expect(agreed.body).toMatchObject({ consentPending: false, revision: 3, seenRevision: 3 });
});
