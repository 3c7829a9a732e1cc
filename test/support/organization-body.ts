import { randomUUID } from 'node:crypto';

/** A body that creates a vendor of a tenant of its own; these members replace its own. */
export function organizationBody(members: object = {}) {
  return { name: 'Acme Irrigation', kind: 'vendor', tenantId: randomUUID(), ...members };
}
