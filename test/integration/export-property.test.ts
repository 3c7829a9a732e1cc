import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { moduleSchema } from '../../shared/package/descriptor/module-schema.ts';
import { normalDescriptor } from '../../shared/package/descriptor/normal-descriptor.ts';
import { withoutEmptyMembers } from '../../shared/package/schema/read-members.ts';
import { isInputDescriptor } from '../../shared/package/descriptor/validate-descriptor.ts';
import { exportModule } from '../support/export-module.ts';
import { generatedModule, generatedPackage, type GeneratedModule } from '../support/generated-module.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { readArchive } from '../unit/package/archive/read-archive.ts';

/** The same modules in each run; PROPERTY_SEED=N tries others, and a failure reports its seed. */
const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_271_120);
const MODULES = Number(process.env['PROPERTY_RUNS'] ?? 12);

let app: TestApp;
/** Another deployment: its own database and storage. */
let other: TestApp;

beforeAll(async () => {
  [app, other] = await Promise.all([startTestApp(), startTestApp()]);
});

afterAll(() => Promise.all([app.stop(), other.stop()]));

async function importInto(target: TestApp, owner: TestOrganization, zip: Buffer) {
  const { status, text, body } = await target.importPackage(owner, zip);
  expect(status, text).toBe(200);
  return body as { outcome: string; moduleId: string; revision: number };
}

/** Roles, alert rules and the hash of each file, as the owner reads them. */
async function readParts(target: TestApp, owner: TestOrganization, moduleId: string) {
  const { body } = await target.fetch(`/api/v8.0/${owner.id}/modules/${moduleId}`, {
    headers: { Authorization: owner.admin },
  });
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

async function travel(module: GeneratedModule): Promise<void> {
  const zip = generatedPackage(module);
  const [owner, newOwner] = [await app.organization(), await other.organization()];
  const { moduleId } = await importInto(app, owner, zip);
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

test('import(export(m)) = m for generated modules, here and in another deployment', async () => {
  await fc.assert(fc.asyncProperty(generatedModule(app.api.catalogue), travel), {
    seed: SEED,
    numRuns: MODULES,
    // Shrinking a failing module takes hundreds of imports, so it is left to a developer.
    endOnFailure: true,
  });
}, 600_000);
