import { randomUUID } from 'node:crypto';

/** A body that makes a vendor of a tenant of its own; members given replace its own. */
export function organizationBody(members: object = {}) {
  return { name: 'Acme Irrigation', kind: 'vendor', tenantId: randomUUID(), ...members };
}
