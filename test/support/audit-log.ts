import { FIXTURE_ACTOR } from './fixture-actor.ts';
import { expect } from 'vitest';
import type { TestApp, TestOrganization } from './test-app.ts';

export interface AuditEntry {
  readonly action: string;
  readonly actor: string;
  readonly organizationId: string | null;
  readonly traceId: string;
}

/** The entries of an organization, oldest first. */
export async function auditLogOf(
  app: TestApp,
  organization: TestOrganization,
): Promise<readonly AuditEntry[]> {
  const { status, body, text } = await app.as(organization, organization.member).get('/auditLog?limit=200');
  expect(status, text).toBe(200);
  const items = body.items as AuditEntry[];
  return items.filter(({ actor }) => actor !== FIXTURE_ACTOR.subject).toReversed();
}

/** The token of an administrator with this name. */
export const adminAs = (app: TestApp, { id }: TestOrganization, subject: string) =>
  app.bearer({ organizations: [{ id, roles: ['OrganizationAdmin'] }], subject });

export const newFarmer = (app: TestApp, { tenantId }: TestOrganization) =>
  app.organization({ kind: 'farmer', tenantId });
