import { randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { exportModule } from '../support/export-module.ts';
import { importSample } from '../support/import-sample.ts';
import { PIXEL, sampleDescriptor, type SampleOptions } from '../support/sample-package.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { extraField } from '../support/zip-bytes.ts';
import { buildZip } from '../support/zip-builder.ts';
import { importInto, exported, textsOf, descriptorOf, readModule } from '../support/exported-package.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest().extend<{ readonly other: TestApp }>({
  // Another deployment: its own database and storage.
  other: [
    async ({}, use) => {
      const other = await startTestApp();
      await use(other);
      await other.stop();
    },
    { scope: 'file' },
  ],
});

const BUILD = 'PackageArtifact/build';
const ENVIRONMENT_ID = '99999999-9999-4999-8999-999999999999';

/** The addition of zip(1) to a local header: the time of the file (extended timestamp). */
const EXTENDED_TIME = extraField(0x5455, Buffer.from([1, 0, 0, 0, 0]));

describe('exporting and importing again', () => {
  const RICH: SampleOptions = {
    descriptor: {
      component: 'advisor',
      environmentVariables: [{ appEnvironmentId: ENVIRONMENT_ID, key: 'TOKEN', value: 'the secret' }],
    },
    files: { [`${BUILD}/日本/with space.txt`]: 'odd name', [`${BUILD}/empty`]: '' },
  };

  test('importing its export is unchanged: no new revision', async ({ app, vendor }) => {
    const moduleId = await importSample(app, vendor, RICH);
    expect(await importInto(app, vendor, await exported(app, vendor, moduleId))).toMatchObject({
      outcome: 'unchanged',
      moduleId,
      revision: 1,
    });
  });

  test('the export contains languages that later packages did not contain', async ({ app, vendor }) => {
    const moduleId = randomUUID();
    const { catalogue } = app.api;
    const german = catalogue.entry('languages', 'de')?.id ?? '';
    const english = { languageId: catalogue.englishId, moduleName: 'Soil' };
    const both = [english, { languageId: german, moduleName: 'Boden' }];
    await importSample(app, vendor, { descriptor: { moduleId, translations: both } });
    await importSample(app, vendor, { descriptor: { moduleId, component: 'two', translations: [english] } });
    const { translations } = await descriptorOf(await exported(app, vendor, moduleId));
    expect(translations).toHaveLength(2);
    expect(await importInto(app, vendor, await exported(app, vendor, moduleId))).toMatchObject({
      outcome: 'unchanged',
    });
  });

  test('another deployment creates the module with the same ID and content, and its exports differ only in the owner', async ({
    app,
    vendor,
    other,
  }) => {
    const moduleId = await importSample(app, vendor, {
      ...RICH,
      descriptor: { ...RICH.descriptor, scope: randomUUID() },
    });
    const bytes = await exported(app, vendor, moduleId);
    const owner = await other.organization();
    expect(await importInto(other, owner, bytes)).toMatchObject({
      outcome: 'created',
      moduleId,
      revision: 1,
    });
    expect(await readModule(other, owner, moduleId)).toEqual(await readModule(app, vendor, moduleId));
    const again = await exportModule(other, owner, moduleId);
    const withOwner = bytes.toString('latin1').replace(vendor.id, owner.id);
    const differing = await textsOf(again.bytes);
    expect(differing).toEqual({
      ...(await textsOf(bytes)),
      'moduleSchema.json': expect.stringContaining(owner.id) as unknown,
    });
    expect(again.bytes.length).toBe(withOwner.length);
    expect({ ...(await descriptorOf(again.bytes)), organizationId: vendor.id }).toEqual(
      await descriptorOf(bytes),
    );
  });

  test('the same organization of another deployment exports the same bytes, length and ETag, also if another ZIP writer made the imported package', async ({
    app,
    vendor,
    other,
  }) => {
    const moduleId = randomUUID();
    const text = Array.from({ length: 500 }, randomUUID).join(' ').repeat(3);
    const level1 = deflateRawSync(text, { level: 1 });
    expect(level1.equals(deflateRawSync(text))).toBe(false);
    const descriptor = JSON.stringify(sampleDescriptor(app.api.catalogue, { moduleId }));
    const zip = buildZip([
      { path: 'PackageArtifact/' },
      { path: `${BUILD}/z.js`, content: text, packed: level1, descriptor: 'signed' },
      { path: `${BUILD}/index.html`, content: 'stored', method: 'stored', localExtra: EXTENDED_TIME },
      { path: 'ModuleToS/terms.md', content: '# Terms', descriptor: 'unsigned' },
      { path: 'ModuleLogo/logo.png', content: PIXEL, method: 'stored' },
      { path: `${BUILD}/empty`, content: '', method: 'deflate' },
      { path: `${BUILD}/a.js`, content: text, unixMode: 0o100755, zip64: true },
      { path: 'moduleSchema.json', content: descriptor, descriptor: 'signed64' },
      { path: 'ModulePrivacy/privacy.md', content: '# Privacy' },
    ]);
    await importInto(app, vendor, zip);
    const first = await exportModule(app, vendor, moduleId);
    expect(first.bytes.includes(level1)).toBe(true);
    const owner = await other.organization({ id: vendor.id });
    expect(await importInto(other, owner, first.bytes)).toMatchObject({ outcome: 'created', moduleId });
    const again = await exportModule(other, owner, moduleId);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    for (const name of ['etag', 'content-length'])
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(first.headers.get('content-length')).toBe(String(first.bytes.length));
  });

  test('with asNew another organization of the tenant creates a module with a new ID; only ID and scope differ', async ({
    app,
    vendor,
  }) => {
    const moduleId = await importSample(app, vendor, {
      ...RICH,
      descriptor: { ...RICH.descriptor, scope: randomUUID() },
    });
    const bytes = await exported(app, vendor, moduleId, '?asNew=true');
    expect(await descriptorOf(bytes)).toMatchObject({ moduleId: null, scope: null });
    const neighbour = await app.organization({ tenantId: vendor.tenantId });
    const created = await importInto(app, neighbour, bytes);
    expect(created).toMatchObject({ outcome: 'created', revision: 1 });
    expect(created['moduleId']).not.toBe(moduleId);
    const [own, copy] = [
      await readModule(app, vendor, moduleId),
      await readModule(app, neighbour, String(created['moduleId'])),
    ];
    const newIdentity = { moduleId: created['moduleId'], scope: null };
    expect(copy).toEqual({ ...own, descriptor: { ...(own.descriptor as object), ...newIdentity } });
  });

  test('without asNew another organization of the deployment is refused', async ({ app, vendor }) => {
    const bytes = await exported(app, vendor, await importSample(app, vendor));
    const answer = await app.importPackage(await app.organization(), bytes);
    expect(answer.body.errors).toMatchObject([{ code: 'registry-module-id-not-allowed' }]);
  });

  test('?revision=N exports the module of that revision; the default is the current one', async ({
    app,
    vendor,
  }) => {
    const moduleId = randomUUID();
    for (const text of ['old', 'new'])
      await importSample(app, vendor, { descriptor: { moduleId }, files: { [`${BUILD}/index.html`]: text } });
    const page = async (query: string) =>
      (await textsOf(await exported(app, vendor, moduleId, query)))[`${BUILD}/index.html`];
    expect([await page(''), await page('?revision=1'), await page('?revision=2')]).toEqual([
      'new',
      'old',
      'new',
    ]);
  });
});
