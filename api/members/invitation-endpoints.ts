import { Type } from 'typebox';
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  makeInvitationSecret,
  revokeInvitation,
} from '../../shared/db/access/invitations.ts';
import { findOrganization } from '../../shared/db/access/organizations.ts';
import { ROLES } from '../../shared/db/access/role.ts';
import type { InvitationModel } from '../../shared/db/access/models.ts';
import { actorOf, tokenActor } from '../auth/access.ts';
import { adminOrOperator, anyToken } from '../auth/endpoint-access.ts';
import { created, json, ok, reply, answerOf } from '../http/answer.ts';
import { creatingEndpoint } from '../http/creating-endpoint.ts';
import { deleteEndpoint, endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { daysAhead, expiryOf, jsonBody } from '../http/request/json-body.ts';
import { ownOrigin } from '../http/request/own-origin.ts';
import { page, mapPage } from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import {
  dateTime,
  guid,
  inputExpiry,
  inputGuid,
  inputObject,
  listOf,
  namedObject,
  oneOf,
  orNull,
  shownOnce,
  text,
} from '../http/schema.ts';

const path = '/api/v8.0/{orgId}/invitations';

const STANDARD_DAYS = 7;
const MAX_DAYS = 30;

const createBody = inputObject('CreateInvitation', 'The person to invite, and the expiry of the link.', {
  role: Type.Enum(ROLES, { description: 'The role of the new member.' }),
  name: Type.Optional(
    orNull(
      Type.String({
        maxLength: 200,
        description: 'The name of the invited person, which the list of members shows later.',
      }),
    ),
  ),
  expiresOn: inputExpiry(
    `When the link stops working, at most ${MAX_DAYS} days ahead. Default: in ${STANDARD_DAYS} days.`,
  ),
});

const members = {
  id: guid('The ID of the invitation.'),
  role: oneOf(ROLES, 'The role of the new member.'),
  name: orNull(text('The name of the invited person; null if there is none.')),
  createdBy: text('The inviter: the subject of a token.'),
  createdAt: dateTime('When the invitation was created.'),
  expiresOn: dateTime('When the link stops working.'),
};

const invitation = namedObject('Invitation', 'An invitation that can still be used.', members);

const newInvitation = namedObject('InvitationWithSecret', 'An invitation with its link.', {
  ...members,
  secret: shownOnce(
    Type.String({ pattern: '^mmi_[\\w-]{43}$' }),
    'The secret that accepts the invitation, once.',
  ),
  link: shownOnce(
    Type.String(),
    'The page of the portal that accepts the invitation; null without a portal.',
  ),
});

const acceptBody = inputObject('AcceptInvitation', 'The invitation that is accepted.', {
  secret: Type.String({ maxLength: 200, description: 'The secret of the invitation.' }),
});

const joined = namedObject('JoinedOrganization', 'The organization of which the caller is now a member.', {
  organizationId: guid('The ID of the organization.'),
  organizationName: text('The name of the organization.'),
  kind: oneOf(['vendor', 'farmer'], 'Whether it offers modules or installs them.'),
  roles: listOf(oneOf(ROLES, 'A role.'), 'The roles of the caller as a member.'),
});

const create = creatingEndpoint(path, {
  id: 'createInvitation',
  summary: 'Invite a person',
  description: 'Returns a link that makes the first person who opens it a member. It is never shown again.',
  access: adminOrOperator,
  body: jsonBody('The invitation.', createBody),
  answers: { 201: created('The invitation with its link.', newInvitation, ['Cache-Control']) },
  problems: ['quota-exceeded'],
  async handle({ api, request, caller, body, limits }) {
    const { role, name = null, expiresOn = null } = body;
    const actor = { ...actorOf(caller), max: limits.maxInvitationsPerOrganization };
    const secret = makeInvitationSecret();
    const wanted = {
      role,
      name,
      expiresAt: expiresOn === null ? daysAhead(STANDARD_DAYS) : expiryOf(expiresOn, MAX_DAYS),
    };
    const row = await createInvitation(api.database, caller.organization.id, wanted, secret, actor);
    const { portal, server } = api.config;
    // In the fragment, which browsers send to nobody: it is in no log and no Referer.
    const link =
      portal === null ? null : `${ownOrigin(request, server.publicUrl)}/portal/invitation#${secret}`;
    const location = `/api/v8.0/${caller.organization.id}/invitations/${row.id}`;
    const headers = { Location: location, 'Cache-Control': 'no-store' };
    return reply(201, { ...invitationAnswer(row), secret, link }, headers);
  },
});

const list = listEndpoint(path, {
  id: 'listInvitations',
  summary: 'List invitations',
  description: 'Those that can still be used, newest first, without their links.',
  access: adminOrOperator,
  page: page(invitation, 'invitations'),
  list: async ({ api, caller: { organization } }, request) =>
    mapPage(await listInvitations(api.database, organization.id, request), invitationAnswer),
});

const revoke = deleteEndpoint(`${path}/{invitationId}`, {
  id: 'deleteInvitation',
  parameters: { invitationId: inputGuid('The invitation.') },
  summary: 'Revoke an invitation',
  access: adminOrOperator,
  async handle({ api, caller, path: { invitationId } }) {
    const isRevoked = await revokeInvitation(
      api.database,
      caller.organization.id,
      invitationId,
      actorOf(caller),
    );
    found(isRevoked, 'The organization has no such invitation, or it was used.');
  },
});

const accept = endpoint('post', '/api/v8.0/invitations/accept', {
  id: 'acceptInvitation',
  summary: 'Accept an invitation',
  description:
    'Makes the caller a member. The invitation is then used; the same caller may repeat the call while they are a member, ' +
    'until the invitation expires. Of invitations that cannot be used any more, only the newest ' +
    '`maxInvitationsPerOrganization` are kept.',
  access: anyToken,
  body: jsonBody('The secret of the invitation.', acceptBody),
  answers: { 200: json('The organization.', joined) },
  problems: ['not-found', 'quota-exceeded'],
  async handle({ api, caller, body: { secret } }) {
    const maxOf = (organizationId: string) =>
      api.organizationLimits.recall(organizationId).maxMembersPerOrganization;
    const person = { ...tokenActor(caller), issuer: caller.issuer, maxOf };
    const row = await acceptInvitation(api.database, secret, person);
    const organization = found(
      row && (await findOrganization(api.database, row.organizationId)),
      'The invitation was used or revoked, or has expired. Ask an administrator of the organization for a new one.',
    );
    const { id: organizationId, name: organizationName, kind } = organization;
    return ok({ organizationId, organizationName, kind, roles: row?.roles ?? [] });
  },
});

/** Invitations to become a member. */
export const INVITATION_ENDPOINTS = tagged('Members', [accept, create, list, revoke]);

function invitationAnswer(row: InvitationModel) {
  return answerOf(row, { expiresOn: row.expiresAt });
}
