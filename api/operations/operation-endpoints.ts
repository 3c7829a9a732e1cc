import { Type } from 'typebox';
import { readBacklog } from '../../shared/db/imports/unfinished-imports.ts';
import { MAX_COUNTED_DELIVERIES, readUndelivered } from '../../shared/db/webhooks/undelivered.ts';
import { listImports } from '../../shared/db/imports/imports.ts';
import { operator } from '../auth/endpoint-access.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint, listEndpoint, tagged, wholeListEndpoint, deleteEndpoint } from '../http/endpoint.ts';
import { page, mapPage } from '../http/pagination.ts';
import { boolean, inputGuid, integer, namedObject, text } from '../http/schema.ts';
import { STATUS_QUERY } from '../imports/import.ts';
import { OPERATOR_WEBHOOK_ENDPOINTS } from '../webhooks/webhook-endpoints.ts';
import { LIMIT_ENDPOINTS } from './limit-endpoints.ts';
import { QUARANTINE_ENDPOINTS } from './quarantine-endpoints.ts';
import { SUSPENSION_ENDPOINTS } from './suspension-endpoints.ts';
import { FAILED_IMPORT_ENDPOINTS, importForOperators, operatorImport } from './failed-import-endpoints.ts';
import { freeScope } from '../../shared/db/modules/scopes.ts';
import { tokenActor } from '../auth/access.ts';
import { found, ProblemError } from '../http/problem.ts';

const path = '/api/v8.0/operations';

const imports = listEndpoint(`${path}/imports`, {
  id: 'listAllImports',
  summary: 'List imports of all organizations',
  description: 'Newest first.',
  access: operator,
  query: {
    ...STATUS_QUERY,
    organizationId: inputGuid('Only imports of this organization.'),
    dismissed: boolean('Whether an operator has dismissed the failed imports; without it, both are listed.'),
  },
  page: page(operatorImport, 'imports'),
  async list({ api, query: { status = null, organizationId = null, dismissed } }, request) {
    const filter = { status, moduleId: null, isDismissed: dismissed };
    return mapPage(await listImports(api.database, organizationId, request, filter), importForOperators);
  },
});

const deliveryBacklog = namedObject(
  'DeliveryBacklog',
  'Deliveries of webhooks of all organizations that have not succeeded yet. What a pause, a quarantine or a suspension holds back is not counted.',
  {
    waiting: integer(
      `The number of deliveries that wait for a call, wait for another attempt, or run; at most ${MAX_COUNTED_DELIVERIES} are counted.`,
    ),
    oldestWaitingSeconds: Type.Number({
      minimum: 0,
      description:
        'How long the oldest event has been waiting for its first call, in seconds; 0 if none waits.',
    }),
    failingWebhooks: integer('The number of webhooks whose calls fail, and are repeated.'),
    longestFailingSeconds: Type.Number({
      minimum: 0,
      description:
        'The longest time for which one of these webhooks has been failing, in seconds; 0 if there is none.',
    }),
  },
);

const backlog = namedObject('Backlog', 'Unfinished imports and deliveries of all organizations.', {
  queued: integer('The number of imports that wait for a worker.'),
  running: integer('The number of imports that a worker runs.'),
  oldestWaitingSeconds: Type.Number({
    minimum: 0,
    description: 'How long the oldest queued import has been waiting, in seconds; 0 if none is queued.',
  }),
  deliveries: deliveryBacklog,
});

const waiting = endpoint('get', `${path}/backlog`, {
  id: 'readBacklog',
  summary: 'Read the backlog of imports and deliveries',
  description: 'Counted from the rows of the database, not from the queue.',
  access: operator,
  answers: { 200: json('The unfinished imports and deliveries.', backlog) },
  async handle({ api: { database } }) {
    const [imports, deliveries] = await Promise.all([readBacklog(database), readUndelivered(database)]);
    return ok({ ...imports, deliveries });
  },
});

const worker = namedObject('Worker', 'A process that runs imports.', {
  name: text('The name of the worker.'),
  ageSeconds: integer('How long it has been connected, in seconds.'),
  idleSeconds: integer('How long it has been idle, in seconds.'),
});

const workers = wholeListEndpoint(`${path}/workers`, {
  id: 'listWorkers',
  summary: 'List workers',
  access: operator,
  page: page(worker, 'workers'),
  // Each worker processes both lanes.
  list: async ({ api }) =>
    (await api.queue.lanes.regular.getWorkers()).map(({ name, age, idle }) => ({
      name: name ?? '',
      ageSeconds: Number(age ?? 0),
      idleSeconds: Number(idle ?? 0),
    })),
});

const freeScopeName = deleteEndpoint('/api/v8.0/operations/scopes/{tenantId}/{scope}', {
  id: 'deleteScope',
  summary: 'Free a scope',
  description:
    'Takes a scope from the organization that registered it, so that any organization of the tenant can register it. ' +
    'Refused while a module has it. The entry in the audit log is in that of the organization.',
  access: operator,
  parameters: { tenantId: inputGuid('The tenant.'), scope: text('The scope, exact and case-sensitive.') },
  problems: ['not-found', 'scope-in-use'],
  async handle({ api, caller, path }) {
    const outcome = await freeScope(api.database, path, tokenActor(caller));
    found(outcome !== 'missing', 'The tenant has no such scope.');
    if (outcome === 'in-use')
      throw new ProblemError('scope-in-use', 'A module of the organization that owns the scope has it.');
  },
});

/** What operators see and do, over all organizations. */
export const OPERATION_ENDPOINTS = tagged('Operators', [
  imports,
  ...FAILED_IMPORT_ENDPOINTS,
  waiting,
  workers,
  ...QUARANTINE_ENDPOINTS,
  ...SUSPENSION_ENDPOINTS,
  ...LIMIT_ENDPOINTS,
  freeScopeName,
  ...OPERATOR_WEBHOOK_ENDPOINTS,
]);
