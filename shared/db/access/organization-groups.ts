import type { Database } from '../database.ts';
import { lockOrganization, requireWithin, type AddingActor } from '../quota.ts';
import type { MemberKey } from './members.ts';
import { writeAudit } from './audit-log.ts';
import { findOrganization } from './organizations.ts';
import type { Role } from './role.ts';

/** A group of the issuer, and the role that its members have in an organization. */
export interface GroupRole {
  readonly group: string;
  readonly role: Role;
}

export type GroupsKey = Omit<MemberKey, 'subject'>;

/** Replaces the groups of an organization; false where there is no such organization. @throws QuotaExceededError */
export async function putOrganizationGroups(
  database: Database,
  key: GroupsKey,
  groups: readonly GroupRole[],
  actor: AddingActor,
): Promise<boolean> {
  const { organizationId } = key;
  requireWithin(groups.length, actor.max, 'groups of the organization');
  return database.transaction(async (transaction) => {
    await lockOrganization(transaction, organizationId);
    const before = await listOrganizationGroups(transaction, key);
    if (before === null) return false;
    const after = groups.toSorted((a, b) => (a.group < b.group ? -1 : 1));
    if (described(before).join('\n') === described(after).join('\n')) return true;
    await transaction('organization_groups')
      .where({ ...key })
      .delete();
    const rows = after.map(({ group, role }) => ({ ...key, name: group, role, createdBy: actor.subject }));
    if (rows.length > 0) await transaction('organization_groups').insert(rows);
    await writeAudit(transaction, actor, {
      ...{ organizationId, action: 'organization.groupsChanged' },
      details: { before: described(before), after: described(after) },
    });
    return true;
  });
}

/** The groups of an organization by name; null where there is no such organization. */
export async function listOrganizationGroups(database: Database, key: GroupsKey) {
  if ((await findOrganization(database, key.organizationId)) === null) return null;
  return database('organization_groups')
    .where({ ...key })
    .orderByRaw('name collate "C"')
    .select<GroupRole[]>('name as group', 'role');
}

function described(groups: readonly GroupRole[]): readonly string[] {
  return groups.map(({ group, role }) => `${group}: ${role}`);
}
