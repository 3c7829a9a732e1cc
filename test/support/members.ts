import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { TestApp, TestOrganization } from './test-app.ts';
import type { TokenClaims } from './test-issuer.ts';

/** The body that makes a member an administrator. */
export const ADMIN = { roles: ['OrganizationAdmin'] };
/** The body that makes a member one who only reads. */
export const MEMBER = { roles: ['OrganizationMember'] };

/** A person who is known by a subject, perhaps with other claims. */
export function person(app: TestApp, organization: TestOrganization, claims: TokenClaims = {}) {
  const subject = claims.subject ?? `person-${randomUUID()}`;
  const caller = async () => app.as(organization, await app.bearer({ ...claims, subject }));
  return { subject, caller, token: () => app.bearer({ ...claims, subject }) };
}

/** The audit log of an organization, the oldest entry first: actor, action and details. */
export async function actionsOf(app: TestApp, organization: TestOrganization): Promise<readonly unknown[]> {
  const { body } = await app.as(organization).get('/auditLog');
  const items = body.items as { actor: string; action: string; details: unknown }[];
  return items.map(({ actor, action, details }) => [actor, action, details]).toReversed();
}

/** The members that are kept by the service, without those by the issuer alone. */
export async function keptOf(app: TestApp, organization: TestOrganization) {
  const listed = await app.as(organization).pages<{ subject: string; roles: string[] }>('/members');
  return listed.filter(({ roles }) => roles.length > 0);
}

/** Invites somebody as an administrator by the token. */
export async function invite(app: TestApp, organization: TestOrganization, body: object = {}) {
  const answer = await app.as(organization).post('/invitations', { role: 'OrganizationMember', ...body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as { id: string; secret: string; link: string };
}

/** Accepts an invitation as a subject. */
export async function accept(app: TestApp, subject: string, secret: string) {
  return app.fetch('/api/v8.0/invitations/accept', {
    method: 'POST',
    headers: { Authorization: await app.bearer({ subject }), 'Content-Type': 'application/json' },
    body: JSON.stringify({ secret }),
  });
}
