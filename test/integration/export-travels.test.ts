import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportModule } from '../support/export-module.ts';
import { importSample } from '../support/import-sample.ts';
import type { SampleOptions } from '../support/sample-package.ts';
import { startTestApp } from '../support/test-app.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';
import { importInto, exported, textsOf, descriptorOf, readModule } from '../support/exported-package.ts';

const BUILD = 'PackageArtifact/build';
const ENVIRONMENT_ID = '99999999-9999-4999-8999-999999999999';

let app: TestApp;
let vendor: TestOrganization;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
});

afterAll(() => app.stop());

describe('a module travels', () => {
  const RICH: SampleOptions = {
    descriptor: {
      component: 'advisor',
      environmentVariables: [{ appEnvironmentId: ENVIRONMENT_ID, key: 'TOKEN', value: 'the secret' }],
    },
    files: { [`${BUILD}/日本/with space.txt`]: 'odd name', [`${BUILD}/empty`]: '' },
  };

  test('importing its export is unchanged: no new revision', async () => {
    const moduleId = await importSample(app, vendor, RICH);
    expect(await importInto(app, vendor, await exported(app, vendor, moduleId))).toMatchObject({
      outcome: 'unchanged',
      moduleId,
      revision: 1,
    });
  });

  test('it holds languages that later packages did not mention any more', async () => {
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

  test('into another deployment it is created with the same ID and everything equal, and exports alike but for the owner', async () => {
    const moduleId = await importSample(app, vendor, {
      ...RICH,
      descriptor: { ...RICH.descriptor, scope: randomUUID() },
    });
    const bytes = await exported(app, vendor, moduleId);
    const other = await startTestApp();
    const owner = await other.organization();
    expect(await importInto(other, owner, bytes)).toMatchObject({
      outcome: 'created',
      moduleId,
      revision: 1,
    });
    expect(await readModule(other, owner, moduleId)).toEqual(await readModule(app, vendor, moduleId));
    const again = await exportModule(other, owner, moduleId);
    await other.stop();
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

  test('asNew, another organization of the tenant creates a module with a new ID from it, equal but for ID and scope', async () => {
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
    const told = { moduleId: created['moduleId'], scope: null };
    expect(copy).toEqual({ ...own, descriptor: { ...(own.descriptor as object), ...told } });
  });

  test('without asNew another organization of the deployment is refused', async () => {
    const bytes = await exported(app, vendor, await importSample(app, vendor));
    const answer = await app.importPackage(await app.organization(), bytes);
    expect(answer.body.errors).toMatchObject([{ code: 'registry-module-id-not-allowed' }]);
  });

  test('?revision=N is the module as it was then; the current one where none is named', async () => {
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
