import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { keysetPage, type PageRequest } from '../keyset-page.ts';
import { InvitationModel, type MemberModel } from './models.ts';
import { lockOrganization, requireRoom, type AddingActor } from '../quota.ts';
import { writeAudit, type Actor } from './audit-log.ts';
import { authorityHolds } from './authority.ts';
import { addMember, findMember } from './members.ts';
import type { Role } from './role.ts';
import { hashOfSecret, newSecret } from './secrets.ts';

export function makeInvitationSecret(): string {
  return newSecret('mmi_');
}

export interface NewInvitation {
  readonly role: Role;
  readonly name: string | null;
  readonly expiresAt: Date;
}

/** Creates an invitation. @throws QuotaExceededError */
export async function createInvitation(
  database: Database,
  organizationId: string,
  invitation: NewInvitation,
  secret: string,
  actor: AddingActor,
): Promise<InvitationModel> {
  return database.transaction(async (transaction) => {
    await lockOrganization(transaction, organizationId);
    const what = 'invitations of the organization';
    // Nobody can delete one that was accepted: it does not count.
    const open = { organizationId, acceptedAt: null };
    await requireRoom(transaction, 'invitations', open, actor.max, what);
    const row = await InvitationModel.query(transaction)
      .insert({
        ...{ id: randomUUID(), organizationId, ...invitation },
        ...{ secretSha256: hashOfSecret(secret), createdBy: actor.subject },
        authority: JSON.stringify(actor.authority),
      })
      .returning('*');
    await writeAudit(transaction, actor, {
      ...{ organizationId, action: 'invitation.created', targetId: row.id, targetName: row.name },
      details: { role: row.role },
    });
    return row;
  });
}

/** Invitations of an organization that can still be used, newest first. */
export async function listInvitations(database: Database, organizationId: string, page: PageRequest) {
  const open = InvitationModel.query(database)
    .where({ organizationId })
    .whereNull('acceptedAt')
    .whereRaw(`expires_at > now() and ${authorityHolds('authority')}`);
  return keysetPage(open, page);
}

/** Revokes an invitation; false where there is none that can still be used. */
export async function revokeInvitation(database: Database, organizationId: string, id: string, actor: Actor) {
  return database.transaction(async (transaction) => {
    const [removed] = await InvitationModel.query(transaction)
      .where({ id, organizationId })
      .whereNull('acceptedAt')
      .delete()
      .returning('*');
    if (removed === undefined) return false;
    const target = { targetId: id, targetName: removed.name };
    await writeAudit(transaction, actor, { organizationId, action: 'invitation.revoked', ...target });
    return true;
  });
}

/** The person who accepts an invitation. */
export interface Accepting extends Actor {
  readonly issuer: string;
  /** The most members of an organization. */
  readonly maxOf: (organizationId: string) => number;
}

/**
 * Makes a person a member by the secret of an invitation, which then is used. Null where it is unknown, used, revoked or
 * expired, or its maker may not invite any more: an administrator who was removed could otherwise invite themselves back.
 * The person who used it may repeat the call while they are a member.
 */
export async function acceptInvitation(
  database: Database,
  secret: string,
  person: Accepting,
): Promise<MemberModel | null> {
  const secretSha256 = hashOfSecret(secret);
  const known = await InvitationModel.query(database).findOne({ secretSha256 });
  if (known === undefined) return null;
  return database.transaction(async (transaction) => {
    // Removals of members and changes of groups lock it too: the maker's authority stays as it is read.
    await lockOrganization(transaction, known.organizationId);
    const invitation = await InvitationModel.query(transaction)
      .findOne({ secretSha256 })
      .whereRaw(`expires_at > now() and (accepted_at is not null or ${authorityHolds('authority')})`)
      .forUpdate();
    if (invitation === undefined) return null;
    const { organizationId, acceptedAt, acceptedBy } = invitation;
    const before = await findMember(transaction, keyOf(organizationId, person));
    if (acceptedAt !== null) return acceptedBy === person.subject ? before : null;
    await invitation.$query(transaction).patch({ acceptedBy: person.subject, acceptedAt: new Date() });
    const member = await joined(transaction, invitation, before, person);
    await writeAudit(transaction, person, {
      ...{
        organizationId,
        action: 'invitation.accepted',
        targetId: invitation.id,
        targetName: invitation.name,
      },
      details: { role: invitation.role, invitedBy: invitation.createdBy },
    });
    return member;
  });
}

function keyOf(organizationId: string, { issuer, subject }: Accepting) {
  return { organizationId, issuer, subject };
}

/** A member keeps the roles that they have. */
async function joined(
  transaction: Database,
  { organizationId, role, name }: InvitationModel,
  before: MemberModel | null,
  person: Accepting,
): Promise<MemberModel> {
  if (before === null)
    return addMember(
      transaction,
      keyOf(organizationId, person),
      { roles: [role], name },
      { ...person, max: person.maxOf(organizationId) },
      null,
    );
  if (before.roles.includes(role)) return before;
  const roles = [...before.roles, role];
  return before
    .$query(transaction)
    .patchAndFetch({ roles, updatedBy: person.subject, updatedAt: new Date() });
}
