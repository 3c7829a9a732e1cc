import { Type } from 'typebox';
import { findOrganization } from '../../shared/db/access/organizations.ts';
import { endSuspension, suspendOrganization } from '../../shared/db/access/suspensions.ts';
import { tokenActor } from '../auth/access.ts';
import { operator } from '../auth/endpoint-access.ts';
import { json, ok } from '../http/answer.ts';
import { deleteEndpoint, endpoint } from '../http/endpoint.ts';
import { jsonBody } from '../http/request/json-body.ts';
import { found } from '../http/problem.ts';
import { inputObject } from '../http/schema.ts';
import { reasonText } from '../modules/release-state.ts';
import { suspension, suspensionOf } from '../organizations/suspension.ts';

const path = '/api/v8.0/operations/organizations/{orgId}/suspension';
const NO_ORGANIZATION = 'There is no such organization.';

const start = endpoint('put', path, {
  id: 'writeSuspension',
  summary: 'Suspend an organization',
  description:
    'Within a second its tokens, sessions, API keys and trusted publishers are refused with 403 `organization-suspended`. ' +
    'Its imports and the deliveries of its webhooks wait, and back ends of modules read nothing of it. A second call ' +
    'changes the reason, or what farmers keep.',
  access: operator,
  body: jsonBody(
    'Why, and what farmers keep.',
    inputObject('WriteSuspension', 'Why an organization is suspended, and what farmers keep.', {
      reason: reasonText('The reason, for members of the organization.'),
      farmersKeepAccess: Type.Boolean({
        description:
          'Whether farmers that have its modules installed keep them. Otherwise these are stopped as in a quarantine.',
      }),
    }),
  ),
  answers: { 200: json('The organization is suspended.', suspension) },
  problems: ['not-found'],
  recordsChanges: true,
  async handle({ api, caller, path: { orgId }, body }) {
    found(await suspendOrganization(api.database, orgId, body, tokenActor(caller)), NO_ORGANIZATION);
    const organization = await findOrganization(api.database, orgId);
    return ok(found(organization && suspensionOf(organization), 'The suspension has been lifted meanwhile.'));
  },
});

const end = deleteEndpoint(path, {
  id: 'deleteSuspension',
  summary: 'Lift the suspension of an organization',
  description: 'Everything works as before, and what waited goes on.',
  access: operator,
  problems: ['not-found'],
  recordsChanges: true,
  async handle({ api, caller, path: { orgId } }) {
    found(
      await endSuspension(api.database, orgId, tokenActor(caller)),
      'There is no such organization that is suspended.',
    );
  },
});

/** The suspension of organizations. */
export const SUSPENSION_ENDPOINTS = [start, end];
