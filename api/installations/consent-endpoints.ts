import { listConsents } from '../../shared/db/access/consents.ts';
import { farmerMember } from '../auth/endpoint-access.ts';
import { moduleDocument } from '../available-modules/available-module.ts';
import { listEndpoint, tagged } from '../http/endpoint.ts';
import { page } from '../http/pagination.ts';
import { dateTime, guid, inputGuid, integer, listOf, namedObject, text } from '../http/schema.ts';

const consent = namedObject('Consent', 'What a farmer consented to. A record is never changed.', {
  id: guid('The ID of the record.'),
  moduleId: guid('The module.'),
  revision: integer('The revision of the module that the farmer saw.', 1),
  dataAreaIds: listOf(guid('An ID of the catalogue.'), 'The data areas that the module may read.'),
  terms: listOf(
    moduleDocument,
    'The terms that were accepted; empty if earlier ones were left as they were.',
  ),
  givenBy: text('Who consented: the subject of the token.'),
  createdAt: dateTime('When the farmer consented.'),
  traceId: text('The trace of the request.'),
});

const list = listEndpoint('/api/v8.0/{orgId}/consents', {
  id: 'listConsents',
  summary: 'List consents',
  description:
    'What the organization consented to when it installed modules or changed their access, newest first. The records ' +
    'stay after a module is uninstalled or deleted.',
  access: farmerMember,
  query: { moduleId: inputGuid('Only consents to this module.') },
  page: page(consent, 'consents'),
  list: ({ api, caller, query: { moduleId = null } }, request) =>
    listConsents(api.database, caller.organization.id, moduleId, request),
});

/** What farmers consented to. */
export const CONSENT_ENDPOINTS = tagged('Installations', [list]);
