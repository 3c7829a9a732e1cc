import type { TestApp, TestOrganization } from './test-app.ts';

interface AuditItem {
  readonly actor: string;
  readonly action: string;
  readonly moduleId: string;
  readonly traceId: string;
}

/** The exports in a vendor's audit log, newest first. */
export async function exportsInAuditLog(
  app: TestApp,
  vendor: TestOrganization,
): Promise<readonly AuditItem[]> {
  const answer = await app.as(vendor, vendor.member).get('/auditLog');
  return (answer.body.items as AuditItem[]).filter(({ action }) => action === 'module.exported');
}
