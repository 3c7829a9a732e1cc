import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import { exportModule } from '../support/export-module.ts';
import { importSample } from '../support/import-sample.ts';
import { PIXEL, sampleDescriptor } from '../support/sample-package.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { buildZip } from '../support/zip-builder.ts';
import { importInto, exported, textsOf } from '../support/exported-package.ts';

const BUILD = 'PackageArtifact/build';
const ENVIRONMENT_ID = '99999999-9999-4999-8999-999999999999';
const MAX_DESCRIPTOR_BYTES = 1024 * 1024;

let app: TestApp;
let vendor: TestOrganization;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
});

afterAll(() => app.stop());

describe('the package', () => {
  test('has exactly these bytes: the descriptor first and stored, the files by path as they were compressed, dated 1980, made by Unix', async () => {
    const moduleId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    const owner = await app.organization({ id: '5d3a1f60-0000-4000-8000-000000000001' });
    const { englishId } = app.api.catalogue;
    const environmentVariables = [{ appEnvironmentId: ENVIRONMENT_ID, key: 'TOKEN', value: 'the secret' }];
    const descriptor = {
      moduleId,
      scope: 'soil',
      translations: [{ languageId: englishId, moduleName: 'Soil moisture' }],
      environmentVariables,
      subscriptionOptions: [
        { paymentCycleId: ENVIRONMENT_ID, currencyId: ENVIRONMENT_ID, price: 123456789.012345 },
      ],
    };
    await importSample(app, owner, {
      descriptor,
      files: { [`${BUILD}/Ü.txt`]: 'umlaut', [`${BUILD}/empty`]: '' },
    });
    const { bytes } = await exportModule(app, owner, moduleId);
    const texts = await textsOf(bytes);
    const schema = {
      schema: '1.0',
      moduleId,
      organizationId: owner.id,
      hostingTypeId: null,
      typeId: null,
      parentId: null,
      categoryId: null,
      federationTypeId: null,
      moduleVersion: 0.1,
      vendorInternalCodeVersion: null,
      component: null,
      entryFileUrl: null,
      offlineReason: null,
      scope: 'soil',
      offlineCapability: null,
      deploymentType: null,
      paymentOptionIds: [],
      cropIds: [],
      environmentIds: [],
      requirementIds: [],
      dataAreaIds: [],
      dependencies: [],
      translations: [
        {
          languageId: englishId,
          moduleName: 'Soil moisture',
          shortName: null,
          description: null,
          shortDescription: null,
          websiteUrl: null,
          websiteName: null,
          supportContact: null,
          dataAreaReasons: null,
          releaseNotes: null,
        },
      ],
      subscriptionOptions: [
        {
          paymentCycleId: ENVIRONMENT_ID,
          currencyId: ENVIRONMENT_ID,
          regionId: null,
          trialLength: null,
          price: 123456789.012345,
        },
      ],
      environmentVariables,
      moduleFiles: [
        { file: 'ModuleToS/terms.md', countryId: 'US', languageId: 'en', documentTypeId: null },
        { file: 'ModulePrivacy/privacy.md', countryId: 'US', languageId: 'en', documentTypeId: null },
        { file: 'ModuleLogo/logo.png', countryId: null, languageId: null, documentTypeId: null },
      ],
    };
    const fixed = { versionNeeded: 20, date: 0x0021, time: 0, flags: 0x800 };
    const contents: Record<string, string | Buffer> = {
      'moduleSchema.json': `${JSON.stringify(schema, null, 2)}\n`,
      'AlertRuleDefinitionFile/alert-rules.yaml': texts['AlertRuleDefinitionFile/alert-rules.yaml'] ?? '',
      'ModuleLogo/logo.png': PIXEL,
      'ModulePrivacy/privacy.md': '# Privacy\n',
      'ModuleSpecificRolesEntitiesDefinition/roles.json':
        texts['ModuleSpecificRolesEntitiesDefinition/roles.json'] ?? '',
      'ModuleToS/terms.md': '# Terms\n',
      [`${BUILD}/assets/index-4f2a91c7.js`]: 'console.log("soil moisture");\n',
      [`${BUILD}/empty`]: '',
      [`${BUILD}/index.html`]: '<!doctype html><title>Soil moisture</title>',
      [`${BUILD}/Ü.txt`]: 'umlaut',
    };
    const expected = buildZip(
      Object.entries(contents).map(([path, content]) => ({
        path,
        content,
        ...(path === 'moduleSchema.json' && { method: 'stored' as const }),
        unixMode: 0o100644,
        local: fixed,
        central: { ...fixed, versionMadeBy: 0x0314 },
      })),
    );
    expect(texts['moduleSchema.json']).toBe(contents['moduleSchema.json']);
    expect(bytes.equals(expected)).toBe(true);
  });

  test('keeps the alert rules and roles of the vendor byte for byte', async () => {
    const rules = `# By hand\nschema: !!float 1.1\ncriterias: {t: {displayName: {en: "T\\u00e4"}, parts: {}}}   # end`;
    const roles = '{ "data": [],\r\n\t"roles": [] }';
    const files = {
      'AlertRuleDefinitionFile/alert-rules.yaml': rules,
      'ModuleSpecificRolesEntitiesDefinition/roles.json': roles,
    };
    expect(
      await textsOf(await exported(app, vendor, await importSample(app, vendor, { files }))),
    ).toMatchObject(files);
  });

  test('has the same bytes each time, also if the files were imported in another order and at another time', async () => {
    const moduleId = randomUUID();
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`${BUILD}/${index}.txt`, `content ${index}`]),
    );
    await importSample(app, vendor, { descriptor: { moduleId }, files });
    const first = await exported(app, vendor, moduleId);
    expect((await exported(app, vendor, moduleId)).equals(first)).toBe(true);
    await importSample(app, vendor, { descriptor: { moduleId } });
    const reversed = Object.fromEntries(Object.entries(files).toReversed());
    await importSample(app, vendor, { descriptor: { moduleId }, files: reversed });
    expect((await exported(app, vendor, moduleId, '?revision=2')).equals(first)).toBe(false);
    expect((await exported(app, vendor, moduleId, '?revision=3')).equals(first)).toBe(true);
  });

  test('of a descriptor near its size limit is formatted more compactly, so that it can be imported again', async () => {
    const moduleId = randomUUID();
    const { catalogue } = app.api;
    const variable = { appEnvironmentId: ENVIRONMENT_ID, value: 'x'.repeat(5_140) };
    const environmentVariables = Array.from({ length: 200 }, (_, key) => ({
      ...variable,
      key: `KEY_${key}`,
    }));
    const descriptor = sampleDescriptor(catalogue, { moduleId, environmentVariables });
    expect(JSON.stringify(descriptor).length).toBeLessThan(MAX_DESCRIPTOR_BYTES - 1_000);
    expect(JSON.stringify(descriptor, null, 2).length).toBeGreaterThan(MAX_DESCRIPTOR_BYTES);
    await importSample(app, vendor, { descriptor });
    const bytes = await exported(app, vendor, moduleId);
    expect((await textsOf(bytes))['moduleSchema.json']).not.toContain('\n');
    expect(await importInto(app, vendor, bytes)).toMatchObject({ outcome: 'unchanged', moduleId });
  });

  test.each(['', '?asNew=true'])(
    'causes no other warning than its package when it is imported%s',
    async (query) => {
      const stranger = await app.organization();
      const bytes = await exported(app, vendor, await importSample(app, vendor), query);
      const target = query === '' ? vendor : stranger;
      const { warnings } = await importInto(app, target, bytes);
      expect(warnings).toMatchObject([{ code: 'layout-part-missing', entry: 'ModuleImage/' }]);
    },
  );
});

test('an export during imports of the module is one revision, never a mixture, and collection removes nothing that it needs', async () => {
  const moduleId = randomUUID();
  const put = (text: string) =>
    importSample(app, vendor, {
      descriptor: { moduleId, component: text },
      files: { [`${BUILD}/index.html`]: text },
    });
  await put('0');
  const state = { isDone: false };
  const writing = (async () => {
    for (let count = 1; count <= 4; count += 1) {
      await put(String(count));
      await collectGarbage(app.api, 1_000);
    }
    state.isDone = true;
  })();
  const seen = new Set<string>();
  while (!state.isDone) {
    const texts = await textsOf(await exported(app, vendor, moduleId));
    const { component } = JSON.parse(texts['moduleSchema.json'] ?? '') as { component: string };
    expect(texts[`${BUILD}/index.html`]).toBe(component);
    seen.add(component);
  }
  await writing;
  expect(seen.size).toBeGreaterThan(1);
});
