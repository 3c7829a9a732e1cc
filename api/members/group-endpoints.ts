import { Type } from 'typebox';
import {
  listOrganizationGroups,
  putOrganizationGroups,
  type GroupRole,
} from '../../shared/db/access/organization-groups.ts';
import { ROLES } from '../../shared/db/access/role.ts';
import { tokenActor } from '../auth/access.ts';
import { groupName } from '../auth/claims.ts';
import { operator } from '../auth/endpoint-access.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint, tagged } from '../http/endpoint.ts';
import { bodyProblem, jsonBody } from '../http/request/json-body.ts';
import { found } from '../http/problem.ts';
import { inputObject, listOf, namedObject, oneOf, text } from '../http/schema.ts';

const path = '/api/v8.0/organizations/{orgId}/groups';
const NO_ORGANIZATION = 'There is no such organization. Create it first.';

const writeGroups = inputObject('WriteOrganizationGroups', 'All groups that have a role.', {
  items: Type.Array(
    inputObject('WriteOrganizationGroup', 'A group and its role.', {
      group: Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '^/?[^/]',
        description:
          "The group, as the token's claim names it: a name, an ID or a path. A leading slash is removed.",
      }),
      role: Type.Enum(ROLES, { description: 'The role of the members of the group.' }),
    }),
    { description: 'The groups; unlisted groups lose their role.' },
  ),
});

const groups = namedObject('OrganizationGroups', 'The groups of the issuer that have a role.', {
  items: listOf(
    namedObject('OrganizationGroup', 'A group and its role.', {
      group: text("The group, as the token's claim names it, without a leading slash."),
      role: oneOf(ROLES, 'The role of the members of the group.'),
    }),
    'The groups, by name.',
  ),
});

const read = endpoint('get', path, {
  id: 'readOrganizationGroups',
  summary: 'Read the groups of an organization',
  access: operator,
  answers: { 200: json('The groups.', groups) },
  problems: ['not-found'],
  async handle({ api, caller: { issuer }, path: { orgId: organizationId } }) {
    const items = await listOrganizationGroups(api.database, { organizationId, issuer });
    return ok({ items: found(items, NO_ORGANIZATION) });
  },
});

const write = endpoint('put', path, {
  id: 'writeOrganizationGroups',
  summary: 'Map groups to roles in an organization',
  description: 'Replaces the list. Members of a group have its role within a second.',
  access: operator,
  body: jsonBody('The groups.', writeGroups),
  answers: { 200: json('The groups.', groups) },
  problems: ['not-found', 'quota-exceeded'],
  async handle({ api, caller, path: { orgId: organizationId }, body }) {
    const items = body.items.map(({ group, role }) => ({ group: groupName(group), role }));
    requireDistinct(items);
    const key = { organizationId, issuer: caller.issuer };
    const { maxGroupsPerOrganization: max } = await api.organizationLimits.of(organizationId);
    const actor = { ...tokenActor(caller), max };
    found(await putOrganizationGroups(api.database, key, items, actor), NO_ORGANIZATION);
    return ok({ items: (await listOrganizationGroups(api.database, key)) ?? [] });
  },
});

/** The groups of the issuer that have a role in an organization. */
export const GROUP_ENDPOINTS = tagged('Operators', [read, write]);

function requireDistinct(items: readonly GroupRole[]): void {
  const first = new Map<string, number>();
  for (const [index, { group }] of items.entries()) {
    const earlier = first.get(group);
    if (earlier !== undefined)
      throw bodyProblem([
        { pointer: `/items/${index}/group`, detail: `The group is listed at /items/${earlier} already.` },
      ]);
    first.set(group, index);
  }
}
