import { createHash } from 'node:crypto';
import type { Database } from '../../shared/db/database.ts';
import { listMemberships, type Membership } from '../../shared/db/access/memberships.ts';
import type { Authority } from '../../shared/db/access/authority.ts';
import type { Role } from '../../shared/db/access/role.ts';
import type { Principal } from './access-token.ts';
import type { Roles } from './claims.ts';
import { RecentReads } from '../http/limits/shared-reads.ts';

/** A person's rights in one organization. */
export interface GrantedRoles {
  readonly roles: ReadonlySet<Role>;
  /** Whether they are an administrator by the claims of the token or by a group, apart from the kept members. */
  readonly staysAdministrator: boolean;
  /** The token's claims, or the memberships that are kept here. */
  readonly authority: Authority;
}

/**
 * The roles of people: the union of the token's claims, of groups that are mapped to roles, and of the members that are
 * kept here. Claims that suffice cost no query.
 */
export class Memberships {
  readonly #database: Database;
  readonly #reads = new RecentReads<readonly Membership[]>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The roles in an organization, at least as far as `needed` depends on them; null where there are none. */
  async rolesIn(principal: Principal, organizationId: string, needed: Role): Promise<GrantedRoles | null> {
    const claimed = principal.roles.get(organizationId) ?? new Set<Role>();
    const isAdministrator = claimed.has('OrganizationAdmin');
    const isEnough = isAdministrator || (needed === 'OrganizationMember' && claimed.size > 0);
    const ofToken = { kind: 'token', organizationId } as const;
    if (isEnough) return { roles: claimed, staysAdministrator: isAdministrator, authority: ofToken };
    const name = nameOf(principal, organizationId);
    const found = await this.#reads.find(name, () => this.#read(principal, organizationId));
    const roles = new Set([...claimed, ...(found ?? []).flatMap((each) => each.roles)]);
    if (roles.size === 0) return null;
    const byGroup = (found ?? []).filter(({ source }) => source === 'group');
    const staysAdministrator = byGroup.some((each) => each.roles.includes('OrganizationAdmin'));
    const { issuer, subject, groups } = principal;
    const authority = { kind: 'member', organizationId, issuer, subject, groups, role: needed } as const;
    return { roles, staysAdministrator, authority };
  }

  /** The roles in all organizations, also in those that do not exist here. */
  async rolesOf(principal: Principal): Promise<Roles> {
    const roles = new Map(principal.roles);
    for (const { organizationId, roles: granted } of await listMemberships(this.#database, principal))
      roles.set(organizationId, new Set([...(roles.get(organizationId) ?? []), ...granted]));
    return roles;
  }

  async #read(principal: Principal, organizationId: string): Promise<readonly Membership[] | null> {
    const found = await listMemberships(this.#database, principal, organizationId);
    return found.length === 0 ? null : found;
  }
}

function nameOf({ issuer, subject, groups }: Principal, organizationId: string): string {
  const text = JSON.stringify([organizationId, issuer, subject, groups]);
  return createHash('sha256').update(text).digest('base64');
}
