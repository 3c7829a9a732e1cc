import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { keysetPage, type PageRequest } from '../keyset-page.ts';
import { InvitationModel, type MemberModel } from './models.ts';
import { lockOrganization, requireWithin, type AddingActor } from '../quota.ts';
import { writeAudit, type Actor } from './audit-log.ts';
import { authorityGranted, authorityHolds } from './authority.ts';
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

/** Whether an invitation can still be used, be it after a suspension of the organization. */
const IS_OPEN = `accepted_at is null and expires_at > now() and ${authorityGranted('authority')}`;

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
    await makeRoom(transaction, organizationId, actor.max);
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

/**
 * Deletes the oldest invitations that cannot be used any more. @throws QuotaExceededError where the list has as many as
 * there may be
 */
async function makeRoom(transaction: Database, organizationId: string, max: number): Promise<void> {
  const all = () => InvitationModel.query(transaction).where({ organizationId });
  const open = await all().whereRaw(IS_OPEN).resultSize();
  requireWithin(open + 1, max, 'invitations of the organization');
  // Used ones are kept for repeats of the call, but an administrator can make and accept them without end.
  const last = 'coalesce(accepted_at, created_at) desc';
  const tooOld = all().select('id').whereRaw(`not (${IS_OPEN})`).orderByRaw(last).offset(max);
  await InvitationModel.query(transaction).whereIn('id', tooOld).delete();
}

/** Invitations of an organization that can still be used, newest first. */
export async function listInvitations(database: Database, organizationId: string, page: PageRequest) {
  return keysetPage(InvitationModel.query(database).where({ organizationId }).whereRaw(IS_OPEN), page);
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
