import { Type } from 'typebox';
import { readBacklog } from '../../shared/db/imports/import-backlog.ts';
import { listImports } from '../../shared/db/imports/imports.ts';
import { actorOf } from '../auth/access.ts';
import { operator } from '../auth/endpoint-access.ts';
import { json, ok, reply } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { integer, listOf, namedObject, pageOf, text } from '../http/schema.ts';
import { importOf, packageImport, STATUS_QUERY } from '../imports/import.ts';
import { retryImport } from './retry-import.ts';

const tag = 'Operators';
const path = '/api/v8.0/operations';

const imports = endpoint({
  id: 'listAllImports',
  method: 'get',
  path: `${path}/imports`,
  tag,
  summary: 'List imports of all organizations',
  description: 'Newest first.',
  access: operator,
  query: { ...PAGE_QUERY, ...STATUS_QUERY },
  answers: { 200: json('A page of imports.', pageOf('ImportPage', packageImport, 'A page of imports.')) },
  async handle({ api, query }) {
    const filter = { status: query.status ?? null, moduleId: null };
    const page = await listImports(api.database, null, pageRequest(query), filter);
    return ok(pageAnswer(page, importOf));
  },
});

const retry = endpoint({
  id: 'retryImport',
  method: 'post',
  path: `${path}/imports/{importId}/retry`,
  tag,
  summary: 'Retry a failed import',
  description: 'Possible while its upload is stored. Retrying it again while it is queued has no effect.',
  access: operator,
  answers: { 202: json('The import is queued again.', packageImport) },
  problems: ['not-found', 'import-not-retryable'],
  handle: async ({ api, caller, path: { importId } }) =>
    reply(202, importOf(await retryImport(api, importId, actorOf(caller)))),
});

const backlog = namedObject('Backlog', 'Unfinished imports of all organizations.', {
  queued: integer('The number of imports that wait for a worker.'),
  running: integer('The number of imports that a worker runs.'),
  oldestWaitingSeconds: Type.Number({
    minimum: 0,
    description: 'How long the oldest queued import has been waiting, in seconds; 0 if none is queued.',
  }),
});

const waiting = endpoint({
  id: 'readBacklog',
  method: 'get',
  path: `${path}/backlog`,
  tag,
  summary: 'Read the import backlog',
  description: 'Read from the imports themselves, not from the queue.',
  access: operator,
  answers: { 200: json('The unfinished imports.', backlog) },
  handle: async ({ api }) => ok(await readBacklog(api.database)),
});

const worker = namedObject('Worker', 'A process that runs imports.', {
  name: text('The name of the worker.'),
  ageSeconds: integer('How long it has been connected, in seconds.'),
  idleSeconds: integer('How long it has been idle, in seconds.'),
});

const workers = endpoint({
  id: 'listWorkers',
  method: 'get',
  path: `${path}/workers`,
  tag,
  summary: 'List workers',
  access: operator,
  answers: {
    200: json(
      'The workers.',
      namedObject('Workers', 'All workers.', { items: listOf(worker, 'The workers.') }),
    ),
  },
  async handle({ api }) {
    // Each worker processes both lanes.
    const items = (await api.queue.lanes.regular.getWorkers()).map(({ name, age, idle }) => ({
      name: name ?? '',
      ageSeconds: Number(age ?? 0),
      idleSeconds: Number(idle ?? 0),
    }));
    return ok({ items });
  },
});

/** What operators see and do, over all organizations. */
export const OPERATION_ENDPOINTS = [imports, waiting, workers, retry];
