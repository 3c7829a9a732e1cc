import {
  endQuarantine,
  listQuarantined,
  quarantineModule,
  type StoppedModule,
} from '../../shared/db/modules/quarantine.ts';
import { tokenActor } from '../auth/access.ts';
import { operator } from '../auth/endpoint-access.ts';
import { json, ok, answerOf } from '../http/answer.ts';
import { deleteEndpoint, endpoint, listEndpoint } from '../http/endpoint.ts';
import { jsonBody } from '../http/request/json-body.ts';
import { page, mapPage } from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import { guid, inputObject, namedObject, orNull, text } from '../http/schema.ts';
import { noticesOf, quarantine, reasonText } from '../modules/release-state.ts';

const path = '/api/v8.0/operations/modules/{moduleId}/quarantine';

const quarantinedModule = namedObject('QuarantinedModule', 'A module that an operator has stopped.', {
  moduleId: guid('The ID of the module.'),
  organizationId: guid('The vendor of the module.'),
  scope: orNull(text("The module's name in the tenant, which is unique; null if it has none.")),
  quarantine: orNull(quarantine, 'The quarantine: its start and reason.'),
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
  answers: { 200: json('The module is in quarantine.', quarantinedModule) },
  problems: ['not-found'],
  recordsChanges: true,
  async handle({ api, caller, path: { moduleId }, body }) {
    const row = await quarantineModule(api.database, moduleId, body.reason, tokenActor(caller));
    return ok(quarantineAnswer(found(row, 'There is no such module.')));
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

const list = listEndpoint('/api/v8.0/operations/quarantinedModules', {
  id: 'listQuarantinedModules',
  summary: 'List modules in quarantine',
  description: 'The newest modules first.',
  access: operator,
  page: page(quarantinedModule, 'modules in quarantine', { brief: 'modules' }),
  list: async ({ api }, request) => mapPage(await listQuarantined(api.database, request), quarantineAnswer),
});

/** The modules that operators have stopped. */
export const QUARANTINE_ENDPOINTS = [start, end, list];

function quarantineAnswer(row: StoppedModule) {
  return answerOf(row, { moduleId: row.id, quarantine: noticesOf(row).quarantine });
}
