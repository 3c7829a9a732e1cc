import { expect } from 'vitest';
import { exportModule } from './export-module.ts';
import type { TestApp, TestOrganization } from './test-app.ts';
import { readArchive } from '../unit/package/archive/read-archive.ts';

/** Imports a package that must succeed; returns the answer. */
export async function importInto(
  target: TestApp,
  organization: TestOrganization,
  zip: Buffer,
): Promise<Record<string, unknown>> {
  const answer = await target.importPackage(organization, zip);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Record<string, unknown>;
}

/** The bytes of an export that must succeed. */
export async function exported(
  app: TestApp,
  vendor: TestOrganization,
  moduleId: string,
  query = '',
): Promise<Buffer> {
  const { status, bytes } = await exportModule(app, vendor, moduleId, { query });
  // Not a message of `expect`: it would be made of each package.
  if (status !== 200) throw new Error(bytes.toString());
  return bytes;
}

/** The files of an archive as texts, by path. */
export async function textsOf(bytes: Buffer): Promise<Record<string, string>> {
  const { problems, files } = await readArchive(bytes);
  expect(problems).toEqual([]);
  return Object.fromEntries([...files].map(([path, content]) => [path, content.toString()]));
}

/** The descriptor of an exported package. */
export async function descriptorOf(bytes: Buffer): Promise<Record<string, unknown>> {
  return JSON.parse((await textsOf(bytes))['moduleSchema.json'] ?? '') as Record<string, unknown>;
}

/** A module as an organization reads it, without members that depend on the place and time of its import. */
export async function readModule(target: TestApp, organization: TestOrganization, moduleId: string) {
  const answer = await target.fetch(`/api/v8.0/${organization.id}/modules/${moduleId}`, {
    headers: { Authorization: organization.admin },
  });
  const { descriptor, roles, alertRules, files } = answer.body as Record<string, unknown>;
  return { descriptor, roles, alertRules, files };
}
