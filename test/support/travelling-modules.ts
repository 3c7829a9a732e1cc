import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { normalDescriptor } from '../../shared/package/descriptor/normal-descriptor.ts';
import { moduleSchema } from '../../shared/package/descriptor/module-schema.ts';
import { isInputDescriptor } from '../../shared/package/descriptor/validate-descriptor.ts';
import { withoutEmptyMembers } from '../../shared/package/schema/read-members.ts';
import { readArchive } from '../unit/package/archive/read-archive.ts';
import { exportModule } from './export-module.ts';
import { importInto } from './exported-package.ts';
import { generatedModule, generatedPackage, type GeneratedModule } from './generated-module.ts';
import { startTestApp, type TestApp, type TestOrganization } from './test-app.ts';

/** Roles, alert rules and the hash of each file, as the owner reads them. */
async function readParts(app: TestApp, owner: TestOrganization, moduleId: string) {
  const { body } = await app.as(owner).get(`/modules/${moduleId}`);
  const { roles, alertRules, files } = body as Record<string, unknown>;
  return { roles, alertRules, files };
}

/** The descriptor of a package in its normal form, and the hashes of the other files. */
async function contentsOf(zip: Buffer) {
  const { problems, files } = await readArchive(zip);
  expect(problems).toEqual([]);
  const written = withoutEmptyMembers(moduleSchema, JSON.parse(String(files.get('moduleSchema.json'))));
  if (!isInputDescriptor(written)) throw new Error('the descriptor does not match its schema');
  const hashes = [...files].flatMap(([path, content]) =>
    path === 'moduleSchema.json' ? [] : [[path, createHash('sha256').update(content).digest('hex')]],
  );
  return {
    descriptor: normalDescriptor(written),
    files: Object.fromEntries(hashes) as Record<string, string>,
  };
}

async function travel(app: TestApp, other: TestApp, module: GeneratedModule): Promise<void> {
  const zip = generatedPackage(module);
  const [owner, newOwner] = [await app.organization(), await other.organization()];
  const moduleId = String((await importInto(app, owner, zip))['moduleId']);
  const { bytes } = await exportModule(app, owner, moduleId);

  const [imported, exported] = [await contentsOf(zip), await contentsOf(bytes)];
  expect(exported.descriptor).toEqual({ ...imported.descriptor, moduleId });
  expect(exported.files).toEqual(imported.files);

  expect(await importInto(app, owner, bytes)).toMatchObject({ outcome: 'unchanged', moduleId, revision: 1 });
  expect(await importInto(other, newOwner, bytes)).toMatchObject({ outcome: 'created', moduleId });
  expect(await readParts(other, newOwner, moduleId)).toEqual(await readParts(app, owner, moduleId));
  const again = await exportModule(other, newOwner, moduleId);
  expect(await contentsOf(again.bytes)).toEqual(exported);
}

/** Imports and exports this number of generated modules, here and in another deployment; a failure reports the seed. */
export async function expectTravels(modules: number, seed: number): Promise<void> {
  // The other deployment has its own database and storage.
  const [app, other] = await Promise.all([startTestApp(), startTestApp()]);
  try {
    const travels = (module: GeneratedModule) => travel(app, other, module);
    await fc.assert(fc.asyncProperty(generatedModule(app.api.catalogue), travels), {
      seed,
      numRuns: modules,
      // Shrinking a failing module takes hundreds of imports, so it is left to a developer.
      endOnFailure: true,
    });
  } finally {
    await Promise.all([app.stop(), other.stop()]);
  }
}
