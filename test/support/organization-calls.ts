import { randomUUID } from 'node:crypto';
import type { Answer, TestApp } from './test-app.ts';

/** A body that makes a vendor of a tenant of its own; members given replace its own. */
export function organizationBody(members: object = {}) {
  return { name: 'Acme Irrigation', kind: 'vendor', tenantId: randomUUID(), ...members };
}

/** Calls an address below that of the API, as an operator unless another authorization is given. */
export async function callPath(
  app: TestApp,
  path: string,
  init: RequestInit = {},
  authorization?: string,
): Promise<Answer> {
  return app.fetch(`/api/v8.0${path}`, {
    ...init,
    headers: {
      Authorization: authorization ?? (await app.bearer({ operator: true })),
      'Content-Type': 'application/json',
    },
  });
}

/** Puts an organization; a text is sent as it is, anything else as JSON. */
export async function putOrganization(
  app: TestApp,
  id: string,
  body: unknown,
  authorization?: string,
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return callPath(app, `/organizations/${id}`, { method: 'PUT', body: text }, authorization);
}
