import type { Database } from '../database.ts';
import type { Role } from './role.ts';
import { queryRows } from '../statement.ts';

/** A person as the issuer of their tokens names them, with their groups there. */
export interface Person {
  readonly issuer: string;
  readonly subject: string;
  readonly groups: readonly string[];
}

/** What makes a person a member: a record of this service, or a group that is mapped to a role. */
export interface Membership {
  readonly organizationId: string;
  readonly source: 'member' | 'group';
  readonly roles: readonly Role[];
}

const OF_PERSON = `
  select organization_id, 'member' as source, roles from members
  where issuer = :issuer and subject = :subject
  union all
  select organization_id, 'group', array[role] from organization_groups
  where issuer = :issuer and name = any(:groups)`;

/** A person's memberships of one organization, beside those of the token's claims. */
export async function findMemberships(
  database: Database,
  organizationId: string,
  { issuer, subject, groups }: Person,
): Promise<readonly Membership[]> {
  return queryRows<Membership>(
    database,
    `select * from (${OF_PERSON}) as memberships where organization_id = :organizationId`,
    { organizationId, issuer, subject, groups: [...groups] },
  );
}

/** A person's memberships of all organizations, beside those of the token's claims. */
export async function listMemberships(
  database: Database,
  { issuer, subject, groups }: Person,
): Promise<readonly Membership[]> {
  return queryRows<Membership>(database, OF_PERSON, {
    issuer,
    subject,
    groups: [...groups],
  });
}
