import type { Database } from '../db/database.ts';
import { putOrganization } from '../db/organizations.ts';

const TENANT = '7d1f7c52-3f54-4d0c-9b43-6c1f6f7a1d01';

/** The organizations that the local stack starts with; their IDs are the same everywhere. */
export const DEMONSTRATION = {
  vendor: {
    id: 'a1c0ffee-0000-4000-8000-000000000001',
    tenantId: TENANT,
    kind: 'vendor',
    name: 'Demonstration vendor',
  },
  northFarm: {
    id: 'a1c0ffee-0000-4000-8000-000000000002',
    tenantId: TENANT,
    kind: 'farmer',
    name: 'North Farm',
  },
  southFarm: {
    id: 'a1c0ffee-0000-4000-8000-000000000003',
    tenantId: TENANT,
    kind: 'farmer',
    name: 'South Farm',
  },
} as const;

/** Writes the demonstration organizations where they are missing. */
export async function seedDemonstration(database: Database): Promise<void> {
  for (const organization of Object.values(DEMONSTRATION)) await putOrganization(database, organization);
}
