import { Type } from 'typebox';
import { ORGANIZATION_LIMITS, type OrganizationLimitValues } from '../../shared/config/limit-config.ts';
import { readOwnLimits, writeOwnLimits, type OwnLimits } from '../../shared/db/access/organization-limits.ts';
import { tokenActor } from '../auth/access.ts';
import { operator } from '../auth/endpoint-access.ts';
import type { ApiContext } from '../context.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { jsonBody } from '../http/request/json-body.ts';
import { found } from '../http/problem.ts';
import { inputObject, integer, namedObject } from '../http/schema.ts';

const path = '/api/v8.0/operations/organizations/{orgId}/limits';
const NO_ORGANIZATION = 'There is no such organization.';

type LimitName = keyof OrganizationLimitValues;

function eachLimit<Value>(make: (name: LimitName) => Value) {
  return Object.fromEntries(ORGANIZATION_LIMITS.map((name) => [name, make(name)])) as Record<
    LimitName,
    Value
  >;
}

const meaningOf = (name: LimitName) => `\`${name}\` of \`/api/v8.0/limits\`.`;

const organizationLimits = namedObject('OrganizationLimits', 'The limits of one organization.', {
  own: namedObject(
    'OwnLimits',
    'The limits that an operator has set for the organization.',
    eachLimit((name) => Type.Optional(integer(meaningOf(name)))),
  ),
  inForce: namedObject(
    'LimitsInForce',
    'Its own limits, and otherwise those of the deployment.',
    eachLimit((name) => integer(meaningOf(name))),
  ),
});

const writeLimits = inputObject(
  'WriteOrganizationLimits',
  'Limits of the organization. Those that are missing are the deployment’s.',
  eachLimit((name) =>
    Type.Optional(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: meaningOf(name) }),
    ),
  ),
);

const read = endpoint('get', path, {
  id: 'readOrganizationLimits',
  summary: 'Read the limits of an organization',
  access: operator,
  answers: { 200: json('The limits.', organizationLimits) },
  problems: ['not-found'],
  async handle({ api, path: { orgId } }) {
    return ok(answerOf(api, found(await readOwnLimits(api.database, orgId), NO_ORGANIZATION)));
  },
});

const write = endpoint('put', path, {
  id: 'writeOrganizationLimits',
  summary: 'Replace the limits of an organization',
  description:
    'In force within a second. A lower limit refuses what is added and deletes nothing, with one exception: each import deletes the oldest ' +
    'revisions beyond the limit. An empty object gives the organization the limits of the deployment again.',
  access: operator,
  body: jsonBody('The limits of its own.', writeLimits),
  answers: { 200: json('The limits.', organizationLimits) },
  problems: ['not-found'],
  async handle({ api, caller, path: { orgId }, body }) {
    found((await writeOwnLimits(api.database, orgId, body, tokenActor(caller))) || null, NO_ORGANIZATION);
    api.organizationLimits.changed();
    return ok(answerOf(api, body));
  },
});

/** The limits of single organizations. */
export const LIMIT_ENDPOINTS = [read, write];

function answerOf({ organizationLimits: limits }: ApiContext, own: OwnLimits) {
  return { own, inForce: { ...limits.standard, ...own } };
}
