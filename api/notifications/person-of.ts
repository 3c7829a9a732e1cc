import type { MemberKey } from '../../shared/db/access/members.ts';
import type { OrganizationAccess } from '../auth/access.ts';

/** The person who calls, in the organization that the path names. */
export function personOf({ principal: { issuer, subject }, organization }: OrganizationAccess): MemberKey {
  return { organizationId: organization.id, issuer, subject };
}
