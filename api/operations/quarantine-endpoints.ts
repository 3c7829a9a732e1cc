import type { Static } from 'typebox';
import type { ModuleModel } from '../../shared/db/modules/models.ts';
import { endQuarantine, listQuarantined, quarantineModule } from '../../shared/db/modules/quarantine.ts';
import { actorOf } from '../auth/access.ts';
import { operator } from '../auth/endpoint-access.ts';
import { DELETED, json, NO_CONTENT, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { jsonBody } from '../http/json-body.ts';
import { PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { ProblemError } from '../http/problem.ts';
import { guid, inputObject, namedObject, orNull, pageOf, text } from '../http/schema.ts';
import { noticesOf, quarantine, reasonText } from '../modules/release-state.ts';

const tag = 'Operators';
const path = '/api/v8.0/operations/modules/{moduleId}/quarantine';

const quarantinedModule = namedObject('QuarantinedModule', 'A module that an operator has stopped.', {
  moduleId: guid('The ID of the module.'),
  organizationId: guid('The vendor of the module.'),
  scope: orNull(text('The name that is unique in the tenant; null if the module has none.')),
  quarantine: orNull(quarantine, 'Since when, and why.'),
});

const start = endpoint({
  id: 'quarantineModule',
  method: 'post',
  path,
  tag,
  summary: 'Put a module into quarantine',
  description:
    'Within a second nobody gets its files or applications any more, and its API keys do not work. Vendor and farmers ' +
    'see the reason. A second call changes the reason.',
  access: operator,
  body: jsonBody(
    'Why.',
    inputObject('QuarantineModule', 'Why a module is put into quarantine.', {
      reason: reasonText('The reason, for the vendor and its farmers.'),
    }),
  ),
  answers: { 200: json('The module is in quarantine.', quarantinedModule) },
  problems: ['not-found'],
  async handle({ api, caller, path: { moduleId }, body }) {
    const found = await quarantineModule(api.database, moduleId, body.reason, actorOf(caller));
    if (found === null) throw new ProblemError('not-found', 'There is no such module.');
    return ok(quarantinedModuleOf(found));
  },
});

const end = endpoint({
  id: 'endQuarantine',
  method: 'delete',
  path,
  tag,
  summary: 'End the quarantine of a module',
  access: operator,
  answers: { 204: DELETED },
  problems: ['not-found'],
  async handle({ api, caller, path: { moduleId } }) {
    if (await endQuarantine(api.database, moduleId, actorOf(caller))) return NO_CONTENT;
    throw new ProblemError('not-found', 'There is no such module in quarantine.');
  },
});

const list = endpoint({
  id: 'listQuarantinedModules',
  method: 'get',
  path: '/api/v8.0/operations/quarantinedModules',
  tag,
  summary: 'List modules in quarantine',
  description: 'The newest modules first.',
  access: operator,
  query: PAGE_QUERY,
  answers: {
    200: json(
      'A page of modules.',
      pageOf('QuarantinedModulePage', quarantinedModule, 'A page of modules in quarantine.'),
    ),
  },
  handle: async ({ api, query }) =>
    ok(pageAnswer(await listQuarantined(api.database, pageRequest(query)), quarantinedModuleOf)),
});

/** The modules that operators have stopped. */
export const QUARANTINE_ENDPOINTS = [start, end, list];

function quarantinedModuleOf(row: ModuleModel): Static<typeof quarantinedModule> {
  const { id: moduleId, organizationId, scope } = row;
  return { moduleId, organizationId, scope, quarantine: noticesOf(row).quarantine };
}
