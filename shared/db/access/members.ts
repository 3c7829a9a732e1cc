import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { ListedMemberModel, MemberModel } from './models.ts';
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
): Promise<{ member: ListedMemberModel; isNew: boolean } | typeof LAST_ADMINISTRATOR> {
  return database.transaction(async (transaction) => {
    await lockOrganization(transaction, key.organizationId);
    const before = await findMember(transaction, key);
    const changed =
      before === null
        ? await addMember(transaction, key, write, actor, 'member.added')
        : await changeMember(transaction, before, write, actor);
    if (changed === LAST_ADMINISTRATOR) return changed;
    return { member: await listed(transaction).findOne(key).throwIfNotFound(), isNew: before === null };
  });
}

/** Changes a member while the organization is locked. */
async function changeMember(
  transaction: Database,
  before: MemberModel,
  { roles, name = before.name }: MemberWrite,
  actor: Actor & Administrator,
): Promise<MemberModel | typeof LAST_ADMINISTRATOR> {
  const isSame = roles.toSorted().join() === before.roles.toSorted().join() && name === before.name;
  if (isSame) return before;
  if (!roles.includes('OrganizationAdmin') && (await isLastAdministrator(transaction, before, actor)))
    return LAST_ADMINISTRATOR;
  const { organizationId, issuer, subject } = before;
  // First: whoever changes their own roles has the authority until then.
  await auditMember(transaction, actor, { organizationId, issuer, subject, roles, name }, 'member.changed');
  return before
    .$query(transaction)
    .patchAndFetch({ roles: [...roles], name, updatedBy: actor.subject, updatedAt: new Date() });
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

/** Members by a record of this service, and people who have called as members by the issuer. Newest first. */
export async function listMembers(
  database: Database,
  organization: Omit<MemberKey, 'subject'>,
  page: PageRequest,
): Promise<Page<ListedMemberModel>> {
  return keysetPage(listed(database).where(organization), page);
}

const KEPT = `
  select m.id, m.organization_id, m.issuer, m.subject, m.roles, coalesce(m.name, p.name) as name,
    m.created_by, m.created_at, m.updated_by, m.updated_at,
    coalesce(p.roles, '{}') as identity_provider_roles, p.seen_at as last_seen_at
  from members m left join people p using (organization_id, issuer, subject)`;

// Nobody but the issuer has added them: they came by themselves, as those do who accept an invitation.
const BY_ISSUER = `
  select p.id, p.organization_id, p.issuer, p.subject, '{}', p.name,
    p.subject, p.created_at, p.subject, p.seen_at, p.roles, p.seen_at
  from people p
  where cardinality(p.roles) > 0 and not exists (
    select from members m
    where m.organization_id = p.organization_id and m.issuer = p.issuer and m.subject = p.subject)`;

function listed(database: Database) {
  return ListedMemberModel.query(database).from(database.raw(`(${KEPT} union all ${BY_ISSUER}) as members`));
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
