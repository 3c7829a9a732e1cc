import type { Static } from 'typebox';
import { listConsents } from '../../shared/db/access/consents.ts';
import type { ConsentModel } from '../../shared/db/access/models.ts';
import { farmerMember } from '../auth/endpoint-access.ts';
import { moduleDocument } from '../available-modules/available-module.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { dateTime, guid, inputGuid, integer, listOf, namedObject, pageOf, text } from '../http/schema.ts';
import { timestamp } from '../http/timestamp.ts';

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

const list = endpoint({
  id: 'listConsents',
  method: 'get',
  path: '/api/v8.0/{orgId}/consents',
  tag: 'Installations',
  summary: 'List consents',
  description:
    'What the organization consented to when it installed modules or changed their access, newest first. The records ' +
    'stay after a module is uninstalled or deleted.',
  access: farmerMember,
  query: { ...PAGE_QUERY, moduleId: inputGuid('Only consents to this module.') },
  answers: {
    200: json('A page of consents.', pageOf('ConsentPage', consent, 'A page of consents.')),
  },
  async handle({ api, caller, query }) {
    const { moduleId = null } = query;
    const page = await listConsents(api.database, caller.organization.id, moduleId, pageRequest(query));
    return ok(pageAnswer(page, consentOf));
  },
});

/** What farmers consented to. */
export const CONSENT_ENDPOINTS = [list];

function consentOf(row: ConsentModel): Static<typeof consent> {
  return {
    id: row.id,
    moduleId: row.moduleId,
    revision: row.revision,
    dataAreaIds: row.dataAreaIds,
    terms: row.terms,
    givenBy: row.givenBy,
    createdAt: timestamp(row.createdAt),
    traceId: row.traceId,
  };
}
