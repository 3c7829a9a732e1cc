import { Type } from 'typebox';
import { readBacklog } from '../../shared/db/imports/unfinished-imports.ts';
import { listImports } from '../../shared/db/imports/imports.ts';
import { operator } from '../auth/endpoint-access.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint, listEndpoint, tagged, wholeListEndpoint } from '../http/endpoint.ts';
import { page, mapPage } from '../http/pagination.ts';
import { boolean, inputGuid, integer, namedObject, text } from '../http/schema.ts';
import { STATUS_QUERY } from '../imports/import.ts';
import { OPERATOR_WEBHOOK_ENDPOINTS } from '../webhooks/webhook-endpoints.ts';
import { LIMIT_ENDPOINTS } from './limit-endpoints.ts';
import { QUARANTINE_ENDPOINTS } from './quarantine-endpoints.ts';
import { SUSPENSION_ENDPOINTS } from './suspension-endpoints.ts';
import { SCOPE_ENDPOINTS } from './scope-endpoints.ts';
import { FAILED_IMPORT_ENDPOINTS, importForOperators, operatorImport } from './failed-import-endpoints.ts';

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

const backlog = namedObject('Backlog', 'Unfinished imports of all organizations.', {
  queued: integer('The number of imports that wait for a worker.'),
  running: integer('The number of imports that a worker runs.'),
  oldestWaitingSeconds: Type.Number({
    minimum: 0,
    description: 'How long the oldest queued import has been waiting, in seconds; 0 if none is queued.',
  }),
});

const waiting = endpoint('get', `${path}/backlog`, {
  id: 'readBacklog',
  summary: 'Read the import backlog',
  description: "Counted from the imports' rows, not from the queue.",
  access: operator,
  answers: { 200: json('The unfinished imports.', backlog) },
  handle: async ({ api }) => ok(await readBacklog(api.database)),
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

/** What operators see and do, over all organizations. */
export const OPERATION_ENDPOINTS = tagged('Operators', [
  imports,
  ...FAILED_IMPORT_ENDPOINTS,
  waiting,
  workers,
  ...QUARANTINE_ENDPOINTS,
  ...SUSPENSION_ENDPOINTS,
  ...LIMIT_ENDPOINTS,
  ...SCOPE_ENDPOINTS,
  ...OPERATOR_WEBHOOK_ENDPOINTS,
]);
