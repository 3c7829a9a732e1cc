import {
  endQuarantine,
  quarantineModule,
  searchModules,
  type OperatedModule,
} from '../../shared/db/modules/quarantine.ts';
import { isGuid } from '../../shared/package/schema/schema-parts.ts';
import { tokenActor } from '../auth/access.ts';
import { operator } from '../auth/endpoint-access.ts';
import { json, ok, answerOf } from '../http/answer.ts';
import { deleteEndpoint, endpoint, listEndpoint } from '../http/endpoint.ts';
import { jsonBody } from '../http/request/json-body.ts';
import { page, mapPage } from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import { booleanOrBare, guid, inputObject, namedObject, orNull, text } from '../http/schema.ts';
import { searchText, wordsOf } from '../http/search-words.ts';
import { noticesOf, quarantine, reasonText } from '../modules/release-state.ts';

const path = '/api/v8.0/operations/modules/{moduleId}/quarantine';

const operatedModule = namedObject('OperatedModule', 'A module as operators see it.', {
  id: guid('The ID of the module.'),
  name: orNull(text('The English name of the module; null where it was deleted.')),
  organizationId: guid('The vendor of the module.'),
  organizationName: text('The name of the vendor.'),
  scope: orNull(text("The module's name in the tenant, which is unique; null if it has none.")),
  quarantine: orNull(quarantine, 'The quarantine: its start and reason; null: the module is in none.'),
});

const start = endpoint('post', path, {
  id: 'quarantineModule',
  summary: 'Put a module into quarantine',
  description:
    'Within a second its files and applications are blocked and its API keys are disabled. Vendor and farmers see ' +
    'the reason. A second call changes the reason.',
  access: operator,
  body: jsonBody(
    'Why.',
    inputObject('QuarantineModule', 'Why a module is put into quarantine.', {
      reason: reasonText('The reason, for the vendor and its farmers.'),
    }),
  ),
  answers: { 200: json('The module is in quarantine.', operatedModule) },
  problems: ['not-found'],
  recordsChanges: true,
  async handle({ api, caller, path: { moduleId }, body }) {
    const row = await quarantineModule(api.database, moduleId, body.reason, tokenActor(caller));
    return ok(moduleAnswer(found(row, 'There is no such module.')));
  },
});

const end = deleteEndpoint(path, {
  id: 'deleteQuarantine',
  summary: 'End the quarantine of a module',
  access: operator,
  problems: ['not-found'],
  recordsChanges: true,
  async handle({ api, caller, path: { moduleId } }) {
    const isEnded = await endQuarantine(api.database, moduleId, tokenActor(caller));
    found(isEnded, 'There is no such module in quarantine.');
  },
});

const list = listEndpoint('/api/v8.0/operations/modules', {
  id: 'listAllModules',
  summary: 'Find modules of any vendor',
  description:
    'The newest modules first. A module is found by a name that somebody sees, by that of its newest revision if none was released, or by its ID.',
  access: operator,
  query: {
    query: searchText('a name must contain, in any language of the module; or the ID of a module.'),
    quarantined: booleanOrBare('Only modules in quarantine, also those that were deleted meanwhile.'),
  },
  page: page(operatedModule, 'modules'),
  async list({ api, query: { query = '', quarantined = false } }, request) {
    const id = isGuid(query.trim()) ? query.trim() : null;
    const search = { id, words: wordsOf(query), isQuarantined: quarantined };
    return mapPage(await searchModules(api.database, search, request), moduleAnswer);
  },
});

/** Modules of any vendor, and how operators stop them. */
export const QUARANTINE_ENDPOINTS = [start, end, list];

function moduleAnswer(row: OperatedModule) {
  return answerOf(row, { quarantine: noticesOf(row).quarantine });
}
