import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { samplePackage, type SampleOptions } from '../support/sample-package.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
});

afterAll(() => app.stop());

const zip = (options?: SampleOptions) => samplePackage(app.api.catalogue, options);

const importNew = (options?: SampleOptions) => importSample(app, vendor, options);

const read = (path: string, organization = vendor) => app.as(organization).get(path);

const codes = (answer: Answer) => (answer.body.errors as { code: string }[]).map(({ code }) => code);

interface Coded {
  readonly code: string;
}

const NOT_RELEASED = 'registry-revision-not-released';

test('a valid package is answered with 200 and the new module', async () => {
  const answer = await app.importPackage(vendor, zip());
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({
    importId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    status: 'succeeded',
    outcome: 'created',
    moduleId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    moduleVersion: 0.1,
    released: true,
    revision: 1,
    warnings: [
      {
        code: 'layout-part-missing',
        detail: 'The package has no folder ModuleImage/.',
        severity: 'warning',
        entry: 'ModuleImage/',
      },
    ],
  });
});

test('an absent, null and empty moduleId each create a module with a new ID', async () => {
  const ids = [
    await importNew(),
    await importNew({ descriptor: { moduleId: null } }),
    await importNew({ descriptor: { moduleId: '00000000-0000-0000-0000-000000000000' } }),
  ];
  expect(new Set(ids).size).toBe(3);
});

test('an unknown ID becomes the ID of the new module, in lower case', async () => {
  const moduleId = randomUUID();
  expect(await importNew({ descriptor: { moduleId: moduleId.toUpperCase() } })).toBe(moduleId);
});

test('an ID of an own module updates it and increments the revision', async () => {
  const moduleId = await importNew();
  const answer = await app.importPackage(vendor, zip({ descriptor: { moduleId, component: 'soil' } }));
  expect(answer.body).toMatchObject({ outcome: 'updated', moduleId, revision: 2 });
});

test('a package that changes nothing is unchanged: 200 and no new revision', async () => {
  const moduleId = await importNew();
  const answer = await app.importPackage(vendor, zip({ descriptor: { moduleId } }));
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ outcome: 'unchanged', moduleId, revision: 1 });
});

test('after a roll-back the package that everyone has is unchanged, and so is the newest one, with the advice to release it', async () => {
  const moduleId = await importNew();
  const importAgain = async (members: object = {}) => {
    const { body } = await app.importPackage(vendor, zip({ descriptor: { moduleId, ...members } }));
    const { outcome, revision, released, warnings } = body as Record<string, unknown> & {
      warnings: object[];
    };
    return { outcome, revision, released, warnings: warnings.map((each) => 'code' in each && each.code) };
  };
  await importAgain({ component: 'second' });
  const back = await app.as(vendor).post(`/modules/${moduleId}/revisions/1/release`);
  expect(back.status, back.text).toBe(200);
  const live = { outcome: 'unchanged', revision: 1, released: true };
  expect(await importAgain()).toEqual({ ...live, warnings: expect.not.arrayContaining([NOT_RELEASED]) });
  const newest = { outcome: 'unchanged', revision: 2, released: false };
  expect(await importAgain({ component: 'second' })).toEqual({
    ...newest,
    warnings: expect.arrayContaining([NOT_RELEASED]),
  });
  expect(await importAgain({ component: 'third' })).toMatchObject({ outcome: 'updated', revision: 3 });
  // From now on revision 1 is history: its content is a change of what everyone has.
  expect(await importAgain()).toMatchObject({ outcome: 'updated', revision: 4, released: true });
});

test('a package with only one changed file is a change', async () => {
  const moduleId = await importNew();
  const files = { 'PackageArtifact/build/index.html': '<!doctype html><title>New</title>' };
  expect((await app.importPackage(vendor, zip({ descriptor: { moduleId }, files }))).body).toMatchObject({
    outcome: 'updated',
  });
});

test('an ID of another organization is refused, also when that module was deleted', async () => {
  const moduleId = await importNew();
  const other = await app.organization();
  const first = await app.importPackage(other, zip({ descriptor: { moduleId } }));
  expect(first.status).toBe(400);
  expect(first.body.errors).toMatchObject([
    { code: 'registry-module-id-not-allowed', entry: 'moduleSchema.json', pointer: '/moduleId' },
  ]);
  await app.as(vendor).delete(`/modules/${moduleId}`);
  const second = await app.importPackage(other, zip({ descriptor: { moduleId } }));
  expect(second.body.errors).toEqual(first.body.errors);
});

test('the owner can import a deleted module again, and its revisions continue', async () => {
  const moduleId = await importNew();
  await app.as(vendor).delete(`/modules/${moduleId}`);
  const answer = await app.importPackage(vendor, zip({ descriptor: { moduleId } }));
  expect(answer.body).toMatchObject({ outcome: 'created', moduleId, revision: 2 });
});

test('translations that the package does not contain are kept; those that it contains are updated', async () => {
  const { englishId, sets } = app.api.catalogue;
  const german = sets.get('languages')?.find(({ key }) => key === 'de')?.id;
  const moduleId = await importNew({
    descriptor: {
      translations: [
        { languageId: englishId, moduleName: 'Soil' },
        { languageId: german, moduleName: 'Boden' },
      ],
    },
  });
  await app.importPackage(
    vendor,
    zip({ descriptor: { moduleId, translations: [{ languageId: englishId, moduleName: 'Ground' }] } }),
  );
  const { body } = await read(`/modules/${moduleId}`);
  const names = Object.fromEntries(
    (body.descriptor.translations as { languageId: string; moduleName: string }[]).map((each) => [
      each.languageId,
      each.moduleName,
    ]),
  );
  expect(names).toEqual({ [englishId]: 'Ground', [String(german)]: 'Boden' });
});

test('everything else is declarative: a part that the package omits becomes empty', async () => {
  const moduleId = await importNew({ descriptor: { component: 'soil', cropIds: [randomUUID()] } });
  await app.importPackage(vendor, zip({ descriptor: { moduleId } }));
  expect((await read(`/modules/${moduleId}`)).body.descriptor).toMatchObject({
    component: null,
    cropIds: [],
  });
});

test('what an update takes away is a warning for each member, before the import and with it', async () => {
  const { sets } = app.api.catalogue;
  const ids = (set: string) => (sets.get(set) ?? []).map(({ id }) => id);
  const [area = '', alerts = ''] = ids('dataAreas');
  const [crop] = ids('crops');
  const [appEnvironmentId = '', otherEnvironment = ''] = ids('appEnvironments');
  const option = { paymentCycleId: ids('paymentCycles')[0], currencyId: ids('currencies')[0], price: 5 };
  const variable = { appEnvironmentId, key: 'API_URL', value: 'secret-value' };
  const full = {
    ...{ dataAreaIds: [area, alerts], cropIds: [crop], categoryId: ids('categories')[0], component: 'App' },
    ...{ subscriptionOptions: [option], environmentVariables: [variable], scope: `scope-${randomUUID()}` },
  };
  const moduleId = await importNew({ descriptor: full });
  const removals = async (members: object, query: string, files = {}) => {
    const descriptor = { ...full, moduleId, moduleFiles: [], ...members };
    const none = { 'ModuleLogo/logo.png': null, ...files };
    const { body, text } = await app.importPackage(vendor, zip({ descriptor, files: none }), { query });
    expect(text).not.toContain('secret-value');
    return (body.warnings as { code: string; pointer?: string; detail: string }[])
      .filter(({ code }) => code === 'registry-member-removed')
      .map(({ pointer, detail }) => `${pointer} ${detail}`);
  };
  const emptied = {
    ...{ dataAreaIds: [alerts], cropIds: null, categoryId: null, component: undefined },
    environmentVariables: [{ ...variable, appEnvironmentId: otherEnvironment }],
    subscriptionOptions: [{ ...option, price: 6 }],
  };
  const roles = JSON.stringify({ roles: [{ name: 'Other', baseRoles: [], permissions: {} }] });
  const expected = [
    '/categoryId The update empties categoryId.',
    '/component The update empties component.',
    `/cropIds The update removes 1 of 1 from cropIds: ${crop}.`,
    `/dataAreaIds The update removes 1 of 2 from dataAreaIds: ${area}. The module's API keys can no longer read them.`,
    `/environmentVariables The update removes 1 of 1 from environmentVariables: "API_URL" ${appEnvironmentId}. The module starts without them.`,
    '/moduleFiles The update removes 3 of 3 from moduleFiles: "ModuleToS/terms.md", "ModulePrivacy/privacy.md", "ModuleLogo/logo.png".',
    '/roles The update removes 1 of 1 from roles: "Agronomist".',
  ];
  const files = { 'ModuleSpecificRolesEntitiesDefinition/roles.json': roles };
  for (const query of ['?validateOnly=true', ''])
    expect((await removals(emptied, query, files)).toSorted()).toEqual(expected);
  expect(await removals(emptied, '', files)).toEqual([]);
});

test('an update that removes a part has a warning', async () => {
  const moduleId = await importNew();
  const files = { 'AlertRuleDefinitionFile/alert-rules.yaml': null };
  const { body } = await app.importPackage(vendor, zip({ descriptor: { moduleId }, files }));
  expect(body.warnings).toMatchObject([
    { code: 'layout-part-removed', entry: 'AlertRuleDefinitionFile/' },
    { code: 'layout-part-missing', entry: 'ModuleImage/' },
  ]);
});

test('a package without an ID that is uploaded for a module updates it', async () => {
  const scope = `scope-${randomUUID()}`;
  const moduleId = await importNew({ descriptor: { scope } });
  const second = zip({ descriptor: { scope, component: 'second' } });
  const refused = await app.importPackage(vendor, second);
  expect(refused.body.errors).toMatchObject([{ code: 'registry-scope-taken' }]);
  const query = `?moduleId=${moduleId.toUpperCase()}`;
  const updated = await app.importPackage(vendor, second, { query });
  expect(updated.body).toMatchObject({ outcome: 'updated', moduleId, revision: 2 });
  const again = await app.importPackage(vendor, second, { query });
  expect(again.body).toMatchObject({ outcome: 'unchanged', moduleId });
  const read = await app.as(vendor).get(`/modules/${moduleId}`);
  expect(read.body.descriptor).toMatchObject({ moduleId, component: 'second' });
});

test('a package that is uploaded for a module and names another is rejected', async () => {
  const [one, other] = [await importNew(), await importNew()];
  for (const [moduleId, query] of [
    [one, `?moduleId=${other}`],
    [randomUUID(), `?moduleId=${one}`],
  ] as const) {
    const answer = await app.importPackage(vendor, zip({ descriptor: { moduleId } }), { query });
    expect(answer.body.errors).toMatchObject([{ code: 'registry-module-id-not-allowed' }]);
  }
  const foreign = await importSample(app, await app.organization());
  const answer = await app.importPackage(vendor, zip({}), { query: `?moduleId=${foreign}` });
  expect(answer.body.errors).toMatchObject([{ code: 'registry-module-id-not-allowed' }]);
  expect((await app.importPackage(vendor, zip({}), { query: '?moduleId=x' })).status).toBe(400);
});

test('a package with problems in texts that PostgreSQL cannot store is rejected', async () => {
  const rejected = await app.importPackage(
    vendor,
    zip({
      files: {
        'moduleSchema.json': String.raw`{"\u0000":1,"\u0000":2,"\ud800":1,"\ud800":2}`,
        'AlertRuleDefinitionFile/alert-rules.yaml': `schema: |x${'😀'.repeat(100)}\n`,
      },
    }),
  );
  expect(rejected.status, rejected.text).toBe(400);
  expect(codes(rejected)).toEqual(
    expect.arrayContaining(['descriptor-duplicate-key', 'alert-rules-not-yaml']),
  );
});

test('a scope that is taken in the tenant is refused, in another tenant it is free', async () => {
  const scope = `scope-${randomUUID()}`;
  await importNew({ descriptor: { scope } });
  const neighbour = await app.organization({ tenantId: vendor.tenantId });
  const refused = await app.importPackage(neighbour, zip({ descriptor: { scope } }));
  expect(refused.body.errors).toMatchObject([{ code: 'registry-scope-taken', pointer: '/scope' }]);
  const stranger = await app.organization();
  expect((await app.importPackage(stranger, zip({ descriptor: { scope } }))).status).toBe(200);
});

test('scopes are case-sensitive', async () => {
  const scope = `Scope-${randomUUID()}`;
  await importNew({ descriptor: { scope } });
  await importNew({ descriptor: { scope: scope.toLowerCase() } });
});

test('twenty concurrent uploads that claim one scope: one 200, nineteen 400', async () => {
  const scope = `race-${randomUUID()}`;
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => app.importPackage(vendor, zip({ descriptor: { scope } }))),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status === 400);
  expect(refused.map(codes)).toEqual(Array.from({ length: 19 }, () => ['registry-scope-taken']));
});

test('ten concurrent updates of one module: the one accepted last is current, revisions have no gaps, and superseded ones are rejected', async () => {
  const moduleId = await importNew();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      app.importPackage(vendor, zip({ descriptor: { moduleId, component: `c${index}` } })),
    ),
  );
  const done = answers.filter(({ status }) => status === 200);
  const revisions = done.map(({ body }) => body.revision as number).toSorted((a, b) => a - b);
  expect(revisions).toEqual(done.map((_, index) => index + 2));
  const overtaken = answers.filter(({ status }) => status !== 200).map(({ body }) => body.errors as Coded[]);
  expect(overtaken.map((errors) => errors.map(({ code }) => code))).toEqual(
    overtaken.map(() => ['registry-superseded']),
  );
  const inOrder = await app.api
    .database('imports')
    .where({ organizationId: vendor.id })
    .whereIn(
      'id',
      answers.map(({ body }) => body.importId as string),
    )
    .orderBy('acceptanceOrder')
    .select<{ id: string; revision: number | null }[]>('id', 'revision');
  const inRevisions = inOrder.flatMap(({ revision }) => revision ?? []);
  expect(inRevisions).toEqual(inRevisions.toSorted((a, b) => a - b));
  expect(inOrder.at(-1)?.revision).toBe(done.length + 1);
});

test('during updates of a module readers see the old revision or the new one, never a mixture', async () => {
  const moduleId = await importNew({
    descriptor: { component: 'c0' },
    files: { 'PackageArtifact/build/index.html': 'c0' },
  });
  const state = { isDone: false };
  const updates = (async () => {
    for (let index = 1; index <= 8; index += 1) {
      const files = { 'PackageArtifact/build/index.html': `c${index}` };
      await app.importPackage(vendor, zip({ descriptor: { moduleId, component: `c${index}` }, files }));
    }
    state.isDone = true;
  })();
  let seen = 0;
  while (!state.isDone) {
    const { body } = await read(`/modules/${moduleId}`);
    const file = await read(
      `/modules/${moduleId}/files/PackageArtifact/build/index.html?revision=${String(body.revision)}`,
    );
    expect(file.text).toBe(body.descriptor.component);
    expect(body.descriptor.component).toBe(`c${(body.revision as number) - 1}`);
    seen += 1;
  }
  await updates;
  expect(seen).toBeGreaterThan(0);
});
