import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { MemberModel } from './models.ts';
import { lockOrganization, requireRoom, type AddingActor } from '../quota.ts';
import { writeAudit, type Actor } from './audit-log.ts';
import type { Role } from './role.ts';

export type MemberKey = Readonly<Pick<MemberModel, 'organizationId' | 'issuer' | 'subject'>>;

/** Roles and name of a member; without a name the earlier one stays. */
export interface MemberWrite {
  readonly roles: readonly Role[];
  readonly name?: string | null;
}

/** Whether the organization has an administrator, whatever becomes of the members that are kept here. */
export interface Administrator {
  readonly staysAdministrator: boolean;
}

/** The change would leave nobody who can administer the organization. */
export const LAST_ADMINISTRATOR = 'last administrator';

export async function putMember(
  database: Database,
  key: MemberKey,
  write: MemberWrite,
  actor: AddingActor & Administrator,
): Promise<{ member: MemberModel; isNew: boolean } | typeof LAST_ADMINISTRATOR> {
  return database.transaction(async (transaction) => {
    await lockOrganization(transaction, key.organizationId);
    const before = await findMember(transaction, key);
    if (before === null)
      return { member: await addMember(transaction, key, write, actor, 'member.added'), isNew: true };
    const { roles, name = before.name } = write;
    const isSame = roles.toSorted().join() === before.roles.toSorted().join() && name === before.name;
    if (isSame) return { member: before, isNew: false };
    if (!roles.includes('OrganizationAdmin') && (await isLastAdministrator(transaction, before, actor)))
      return LAST_ADMINISTRATOR;
    // First: whoever changes their own roles has the authority until then.
    await auditMember(transaction, actor, { ...key, roles, name }, 'member.changed');
    const member = await before
      .$query(transaction)
      .patchAndFetch({ roles: [...roles], name, updatedBy: actor.subject, updatedAt: new Date() });
    return { member, isNew: false };
  });
}

/** Removes a member; false where there is no such member. */
export async function removeMember(
  database: Database,
  key: MemberKey,
  actor: Actor & Administrator,
): Promise<boolean | typeof LAST_ADMINISTRATOR> {
  return database.transaction(async (transaction) => {
    await lockOrganization(transaction, key.organizationId);
    const member = await findMember(transaction, key);
    if (member === null) return false;
    if (await isLastAdministrator(transaction, member, actor)) return LAST_ADMINISTRATOR;
    await auditMember(transaction, actor, member, 'member.removed');
    await MemberModel.query(transaction).deleteById(member.id);
    return true;
  });
}

export async function listMembers(
  database: Database,
  organization: Omit<MemberKey, 'subject'>,
  page: PageRequest,
): Promise<Page<MemberModel>> {
  return keysetPage(MemberModel.query(database).where(organization), page);
}

export async function findMember(database: Database, key: MemberKey): Promise<MemberModel | null> {
  return (await MemberModel.query(database).findOne(key)) ?? null;
}

/** Adds a member while the organization is locked. @throws QuotaExceededError */
export async function addMember(
  transaction: Database,
  { organizationId, issuer, subject }: MemberKey,
  { roles, name = null }: MemberWrite,
  actor: AddingActor,
  action: 'member.added' | null,
): Promise<MemberModel> {
  await requireRoom(transaction, 'members', { organizationId }, actor.max, 'members of the organization');
  const by = actor.subject;
  const member = await MemberModel.query(transaction)
    .insert({
      id: randomUUID(),
      ...{ organizationId, issuer, subject, roles: [...roles], name, createdBy: by, updatedBy: by },
    })
    .returning('*');
  if (action !== null) await auditMember(transaction, actor, member, action);
  return member;
}

async function isLastAdministrator(
  transaction: Database,
  { organizationId, issuer, subject, roles }: MemberModel,
  { staysAdministrator }: Administrator,
): Promise<boolean> {
  if (staysAdministrator || !roles.includes('OrganizationAdmin')) return false;
  const other = await MemberModel.query(transaction)
    .where({ organizationId, issuer })
    .whereNot({ subject })
    .whereRaw(`'OrganizationAdmin' = any(roles)`)
    .first();
  return other === undefined;
}

async function auditMember(
  transaction: Database,
  actor: Actor,
  { organizationId, subject, roles, name = null }: MemberKey & MemberWrite,
  action: 'member.added' | 'member.changed' | 'member.removed',
): Promise<void> {
  await writeAudit(transaction, actor, {
    ...{ organizationId, action, targetName: name ?? subject },
    details: { subject, roles },
  });
}
