import { randomUUID } from 'node:crypto';
import { samplePackage, type SampleOptions } from './sample-package.ts';
import type { TestApp, TestOrganization } from './test-app.ts';

/** Imports the sample package into an organization; returns the module's ID, throws where it is refused. */
export async function importSample(
  app: TestApp,
  organization: TestOrganization,
  options?: SampleOptions,
): Promise<string> {
  const answer = await app.importPackage(organization, samplePackage(app.api.catalogue, options));
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.moduleId as string;
}

/** Imports a module of three revisions, whose component and page name the revision. */
export async function importThrice(app: TestApp, organization: TestOrganization): Promise<string> {
  const moduleId = randomUUID();
  for (const revision of [1, 2, 3]) {
    const files = { 'PackageArtifact/build/index.html': `revision ${revision}` };
    await importSample(app, organization, { descriptor: { moduleId, component: `c${revision}` }, files });
  }
  return moduleId;
}
