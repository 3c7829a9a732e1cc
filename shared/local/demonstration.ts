import type { Database } from '../db/database.ts';
import { programActor } from '../db/access/audit-log.ts';
import { putOrganization } from '../db/access/organizations.ts';

const TENANT = '7d1f7c52-3f54-4d0c-9b43-6c1f6f7a1d01';

/** An organization, whose ID is the same everywhere. */
function organization<const Kind extends 'vendor' | 'farmer'>(digit: number, kind: Kind, name: string) {
  return { id: `a1c0ffee-0000-4000-8000-00000000000${digit}`, tenantId: TENANT, kind, name };
}

/** The organizations that the local stack starts with. */
export const DEMONSTRATION = {
  vendor: organization(1, 'vendor', 'Demonstration vendor'),
  northFarm: organization(2, 'farmer', 'North Farm'),
  southFarm: organization(3, 'farmer', 'South Farm'),
  /** The only one that starts with farms, an installed module, rules and alerts. */
  meadowFarm: organization(4, 'farmer', 'Meadow Farm'),
};

/** An account that the development issuer signs in without a password. */
export interface Account {
  /** Also the subject of its tokens. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly organizations: readonly { readonly id: string; readonly roles: readonly string[] }[];
  readonly isOperator: boolean;
}

function rolesIn(role: string, ...organizations: readonly { readonly id: string }[]) {
  return organizations.map(({ id }) => ({ id, roles: [role] }));
}

const { vendor, meadowFarm, northFarm, southFarm } = DEMONSTRATION;

/** One account for each role. */
export const ACCOUNTS: readonly Account[] = [
  {
    key: 'vendor-admin',
    name: 'Vera Vendor',
    description: 'Administrator of the demonstration vendor: imports modules and creates API keys',
    organizations: rolesIn('OrganizationAdmin', vendor),
    isOperator: false,
  },
  {
    key: 'vendor-member',
    name: 'Milo Member',
    description: 'Member of the demonstration vendor: can only read',
    organizations: rolesIn('OrganizationMember', vendor),
    isOperator: false,
  },
  {
    key: 'farmer-admin',
    name: 'Fiona Farmer',
    description: 'Administrator of Meadow, North and South Farm: installs modules and builds alert rules',
    organizations: rolesIn('OrganizationAdmin', meadowFarm, northFarm, southFarm),
    isOperator: false,
  },
  {
    key: 'operator',
    name: 'Otto Operator',
    description: 'Operator of the service: sees imports of every organization, and the queue',
    organizations: [],
    isOperator: true,
  },
];

/** The local stack itself. */
const LOCAL_STACK = programActor('npm start', '0'.repeat(32));

/** Creates the demonstration organizations if they are missing. */
export async function seedDemonstration(database: Database): Promise<void> {
  for (const each of Object.values(DEMONSTRATION)) await putOrganization(database, each, LOCAL_STACK);
}

/** Sets back when a rule was created and its module installed, so that the module should have reported it by now. */
export async function ageRule(database: Database, ruleId: string): Promise<void> {
  const at = { createdAt: database.raw("now() - interval '2 days'") };
  const [rule] = await database('alert_rules')
    .where({ id: ruleId })
    .update({ ...at, updatedAt: at.createdAt })
    .returning<{ organizationId: string; moduleId: string }[]>(['organizationId', 'moduleId']);
  await database('installations')
    .where({ ...rule })
    .update(at);
}
