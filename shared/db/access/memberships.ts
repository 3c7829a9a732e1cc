import type { Database } from '../database.ts';
import type { Role } from './role.ts';
import { queryRows } from '../statement.ts';

/** A person as the issuer of their tokens names them, with their groups there. */
export interface Person {
  readonly issuer: string;
  readonly subject: string;
  readonly groups: readonly string[];
}

/** The source of a membership: a record of this service, or a group that is mapped to a role. */
export interface Membership {
  readonly organizationId: string;
  readonly source: 'member' | 'group';
  readonly roles: readonly Role[];
}

const OF_PERSON = `
  select * from (
    select organization_id, 'member' as source, roles from members
    where issuer = :issuer and subject = :subject
    union all
    select organization_id, 'group', array[role] from organization_groups
    where issuer = :issuer and name = any(:groups)
  ) as memberships where organization_id = coalesce(:organizationId, organization_id)`;

/** A person's memberships of one organization, or of all, beside those of the token's claims. */
export async function listMemberships(
  database: Database,
  { issuer, subject, groups }: Person,
  organizationId: string | null = null,
): Promise<readonly Membership[]> {
  const values = { issuer, subject, groups: [...groups], organizationId };
  return queryRows<Membership>(database, OF_PERSON, values);
}
