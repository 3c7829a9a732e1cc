import { Type } from 'typebox';
import { LAST_ADMINISTRATOR, listMembers, putMember, removeMember } from '../../shared/db/access/members.ts';
import { ROLES } from '../../shared/db/access/role.ts';
import { actorOf, type Administration } from '../auth/access.ts';
import { adminOrOperator } from '../auth/endpoint-access.ts';
import { created, createdOrOk, json } from '../http/answer.ts';
import { deleteEndpoint, endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { jsonBody } from '../http/request/json-body.ts';
import { page } from '../http/pagination.ts';
import { found, ProblemError } from '../http/problem.ts';
import { dateTime, inputObject, listOf, namedObject, oneOf, orNull, text } from '../http/schema.ts';

const path = '/api/v8.0/{orgId}/members';

/** OpenID Connect Core, section 2. */
const MAX_SUBJECT_LENGTH = 255;
const parameters = {
  subject: text('The subject of the person at the issuer: the claim `sub` of their tokens.'),
};

const writeMember = inputObject('WriteMember', "A member's role.", {
  roles: Type.Array(Type.Enum(ROLES), {
    minItems: 1,
    maxItems: ROLES.length,
    uniqueItems: true,
    description: 'The roles of the member. `OrganizationAdmin` includes `OrganizationMember`.',
  }),
  name: Type.Optional(
    orNull(
      Type.String({
        maxLength: 200,
        description: 'The name that lists of members show. Absent: unchanged; null: none.',
      }),
    ),
  ),
});

/** A member, as the API returns it. */
export const member = namedObject(
  'Member',
  'A person who may act for the organization, by a record of this service, by the identity provider, or by both.',
  {
    subject: text('The subject of the person at the issuer: the claim `sub` of their tokens.'),
    name: orNull(
      text(
        'The name that an administrator gave the person, or else that of their tokens; null if there is none.',
      ),
    ),
    roles: listOf(
      oneOf(ROLES, 'A role.'),
      'The roles that are kept here; empty for members by the identity provider alone.',
    ),
    identityProviderRoles: listOf(
      oneOf(ROLES, 'A role.'),
      'The roles by claims of the token or by groups, when the person was last seen. They add to `roles`.',
    ),
    lastSeenAt: orNull(
      dateTime(
        'When the person last called for the organization, to within an hour; null: not as far as is known.',
      ),
    ),
    createdBy: text(
      'The person who added the member: the subject of a token. Of a member by the identity provider alone, their own.',
    ),
    createdAt: dateTime('When the member was added, or first seen.'),
    updatedBy: text('The person who last changed the member: the subject of a token.'),
    updatedAt: dateTime('When the member last changed.'),
  },
);

const list = listEndpoint(path, {
  id: 'listMembers',
  summary: 'List members',
  description:
    'Newest first: members kept by the service, and people who have called with a role by claims of their tokens or by groups.',
  access: adminOrOperator,
  page: page(member, 'members'),
  async list({ api, caller }, request) {
    // So that the list has its reader.
    await api.seenPeople.flush();
    return listMembers(api.database, membersOf(caller), request);
  },
});

const write = endpoint('put', `${path}/{subject}`, {
  id: 'writeMember',
  parameters,
  summary: 'Add or change a member',
  access: adminOrOperator,
  body: jsonBody("The member's role.", writeMember),
  answers: {
    200: json('The member is changed.', member),
    201: created('The member is added.', member),
  },
  problems: ['last-administrator', 'quota-exceeded'],
  async handle({ api, request, caller, path: { subject }, body }) {
    if (subject.length > MAX_SUBJECT_LENGTH)
      throw new ProblemError('request-invalid', `A subject has at most ${MAX_SUBJECT_LENGTH} characters.`);
    const { staysAdministrator } = caller;
    const { maxMembersPerOrganization: max } = await api.organizationLimits.of(caller.organization.id);
    const actor = { ...actorOf(caller), staysAdministrator, max };
    const put = await putMember(api.database, { ...membersOf(caller), subject }, body, actor);
    if (put === LAST_ADMINISTRATOR) throw lastAdministrator();
    return createdOrOk(request, put.isNew, put.member);
  },
});

const remove = deleteEndpoint(`${path}/{subject}`, {
  id: 'deleteMember',
  parameters,
  summary: 'Remove a member',
  description:
    "Takes effect within a second, also for the member's invitations. Roles by claims of the token or by " +
    'groups stay.',
  access: adminOrOperator,
  problems: ['last-administrator'],
  async handle({ api, caller, path: { subject } }) {
    const { staysAdministrator } = caller;
    const actor = { ...actorOf(caller), staysAdministrator };
    const removed = await removeMember(api.database, { ...membersOf(caller), subject }, actor);
    if (removed === LAST_ADMINISTRATOR) throw lastAdministrator();
    found(removed, 'The organization has no such member.');
  },
});

/** The members that are kept here. */
export const MEMBER_ENDPOINTS = tagged('Members', [list, write, remove]);

/** The members of the organization at the issuer of the caller. */
function membersOf({ organization, principal }: Administration) {
  return { organizationId: organization.id, issuer: principal.issuer };
}

function lastAdministrator(): ProblemError {
  return new ProblemError(
    'last-administrator',
    'This is the last administrator of the organization. Make another member an administrator first, or ask an operator.',
  );
}
