import { Type } from 'typebox';
import { deleteOrganization } from '../../shared/db/access/delete-organization.ts';
import {
  findOrganization,
  listOrganizations,
  putOrganization,
  type SuspendableOrganization,
} from '../../shared/db/access/organizations.ts';
import { isCountryCode } from '../../shared/package/text/country-codes.ts';
import { tokenActor } from '../auth/access.ts';
import { operator } from '../auth/endpoint-access.ts';
import { answerOf, created, createdOrOk, json, ok } from '../http/answer.ts';
import { deleteEndpoint, endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { bodyProblem, jsonBody } from '../http/request/json-body.ts';
import { mapPage, page } from '../http/pagination.ts';
import { found, ProblemError } from '../http/problem.ts';
import {
  boolean,
  booleanOrBare,
  dateTime,
  guid,
  inputGuid,
  inputObject,
  namedObject,
  oneOf,
  orNull,
  text,
} from '../http/schema.ts';
import { suspension, suspensionOf } from './suspension.ts';

const path = '/api/v8.0/organizations/{orgId}';
const KINDS = ['vendor', 'farmer'] as const;
const NO_ORGANIZATION = 'There is no such organization.';

const writeOrganization = inputObject('WriteOrganization', 'A vendor or a farmer.', {
  name: Type.String({ maxLength: 200, pattern: '\\S', description: 'The name of the organization.' }),
  kind: Type.Enum(KINDS, { description: 'Whether it offers modules or installs them. It cannot change.' }),
  tenantId: inputGuid('The tenant of the organization. It cannot change.'),
  countryCode: Type.Optional(
    orNull(
      Type.String({ pattern: '^[A-Z]{2}$' }),
      'The country, whose terms the organization accepts: ISO 3166-1 alpha-2, such as DE. Null removes it; ' +
        'absent: unchanged.',
    ),
  ),
  verified: Type.Optional(
    Type.Boolean({
      description:
        'Whether an operator has checked who the organization is. Farmers see it of a vendor before they install a ' +
        'module. Absent: unchanged, and false of a new one.',
    }),
  ),
});

const organization = namedObject('Organization', 'A vendor or a farmer.', {
  id: guid('The ID of the organization.'),
  tenantId: guid('The tenant of the organization.'),
  kind: oneOf(KINDS, 'Whether it offers modules or installs them.'),
  name: text('The name of the organization.'),
  countryCode: orNull(text('The country: ISO 3166-1 alpha-2; null if it is not known.')),
  verified: boolean('Whether an operator has checked who the organization is.'),
  createdAt: dateTime('When the organization was created.'),
  updatedAt: dateTime('When the organization last changed.'),
  suspension: orNull(suspension, 'Its suspension by an operator; null: it is not suspended.'),
});

function organizationAnswer(row: SuspendableOrganization) {
  return answerOf(row, { suspension: suspensionOf(row) });
}

const list = listEndpoint('/api/v8.0/organizations', {
  id: 'listOrganizations',
  summary: 'List organizations',
  description: 'Newest first.',
  access: operator,
  page: page(organization, 'organizations'),
  list: async ({ api }, request) =>
    mapPage(await listOrganizations(api.database, request), organizationAnswer),
});

const read = endpoint('get', path, {
  id: 'readOrganization',
  summary: 'Read an organization',
  access: operator,
  answers: { 200: json('The organization.', organization) },
  problems: ['not-found'],
  handle: async ({ api, path }) =>
    ok(organizationAnswer(found(await findOrganization(api.database, path.orgId), NO_ORGANIZATION))),
});

const write = endpoint('put', path, {
  id: 'writeOrganization',
  summary: 'Create or update an organization',
  description: 'Kind and tenant cannot change.',
  access: operator,
  body: jsonBody('The organization.', writeOrganization),
  answers: {
    200: json('The organization is updated.', organization),
    201: created('The organization is created.', organization),
  },
  problems: ['organization-fixed'],
  recordsChanges: true,
  async handle({ api, request, caller, path, body }) {
    if (typeof body.countryCode === 'string' && !isCountryCode(body.countryCode))
      throw bodyProblem([{ pointer: '/countryCode', detail: 'No country has this code of ISO 3166-1.' }]);
    const input = { ...body, id: path.orgId, tenantId: body.tenantId.toLowerCase() };
    const put = await putOrganization(api.database, input, tokenActor(caller));
    if (put === null) {
      throw new ProblemError(
        'organization-fixed',
        'The organization exists with another kind or tenant, which cannot change, or it was deleted. Use another ID.',
      );
    }
    const written = found(await findOrganization(api.database, path.orgId), NO_ORGANIZATION);
    return createdOrOk(request, put.created, organizationAnswer(written));
  },
});

const remove = deleteEndpoint(path, {
  id: 'deleteOrganization',
  summary: 'Delete an organization',
  description:
    'At once its members lose access, its keys are revoked and its installations end. Its modules, structures, ' +
    'alert rules and alerts are deleted soon afterwards, and its waiting imports are cancelled. Its audit log and ' +
    'import records are kept for their usual time, and its ID is never reused.',
  access: operator,
  query: {
    uninstall: booleanOrBare('Whether to uninstall its modules from other organizations.'),
  },
  problems: ['not-found', 'organization-in-use'],
  recordsChanges: true,
  async handle({ api, caller, path: { orgId }, query }) {
    const result = await deleteOrganization(
      api.database,
      orgId,
      query.uninstall === true,
      tokenActor(caller),
    );
    found(result.outcome !== 'missing', NO_ORGANIZATION);
    if (result.outcome === 'in-use') {
      const detail = `Other organizations have ${result.installations} installations of its modules. Repeat the request with ?uninstall=true to end them.`;
      throw new ProblemError('organization-in-use', detail);
    }
  },
});

/** Organizations, for operators. */
export const ORGANIZATION_ENDPOINTS = tagged('Operators', [list, read, write, remove]);
