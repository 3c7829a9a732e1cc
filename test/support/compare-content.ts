import { readPackage } from './package-contents.ts';
import { compareServedContent, listAllRevisions, type ContentReport } from './served-content.ts';
import { ServiceReader } from './service-reader.ts';
import type { TestApp, TestOrganization } from './test-app.ts';

/** Uploaded packages by the ID of their import. */
export type Uploads = ReadonlyMap<string, Buffer>;

/** Compares everything served of these imports with their packages. */
export async function compareContent(
  app: TestApp,
  { id: organizationId, admin }: TestOrganization,
  uploads: Uploads,
): Promise<ContentReport> {
  const address = { urls: [app.url], organizationId, token: admin.replace('Bearer ', '') };
  const reader = new ServiceReader(address, 0);
  const contents = new Map(
    await Promise.all(
      [...uploads].map(async ([importId, zip]) => [importId, (await readPackage(zip)).contents] as const),
    ),
  );
  const revisions = await listAllRevisions(reader);
  const made = revisions.filter(({ importId }) => uploads.has(importId));
  return compareServedContent(reader, made, (importId) => contents.get(importId));
}
