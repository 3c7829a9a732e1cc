import { Type } from 'typebox';
import { dismissImport, requeueFailed, requeueImport } from '../../shared/db/imports/failed-imports.ts';
import { findImport } from '../../shared/db/imports/imports.ts';
import { tokenActor } from '../auth/access.ts';
import { operator } from '../auth/endpoint-access.ts';
import { json, ok, reply, timestamp } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { found, ProblemError } from '../http/problem.ts';
import { inputGuid, integer, namedObject, oneOf, dateTime, orNull, text } from '../http/schema.ts';
import type { Actor } from '../../shared/db/access/audit-log.ts';
import type { ImportRow } from '../../shared/db/imports/models.ts';
import type { ApiContext } from '../context.ts';
import { importAnswer, packageImport } from '../imports/import.ts';

const path = '/api/v8.0/operations/imports';

/** The steps at which an attempt can fail; `queued`: before it read the package. */
export const STEPS = ['queued', 'reading', 'checking', 'writing'] as const;

const failedAttempts = namedObject(
  'FailedAttempts',
  'The failed attempts of an import since it was queued.',
  {
    step: oneOf(STEPS, 'What the last one was doing.'),
    cause: text('The error of the last one with its causes, without secrets.'),
    attempts: integer('How many attempts failed.', 1),
    firstAt: dateTime('When the first one failed.'),
    lastAt: dateTime('When the last one failed.'),
  },
);

/** An import as operators see it. */
export const operatorImport = namedObject('OperatorImport', 'An import, with what operators see of it.', {
  ...packageImport.properties,
  failure: orNull(failedAttempts, 'The failed attempts since it was queued; null: none failed.'),
  dismissedAt: orNull(dateTime('When an operator dismissed the failed import; null: it was not dismissed.')),
  canRetry: Type.Boolean({ description: 'Whether the import failed and its upload is still stored.' }),
});

/** The operators' view of a row. Its module is also the one that only the package or the token names. */
export function importForOperators(row: ImportRow) {
  const { failure } = row;
  return {
    ...importAnswer(row),
    moduleId: row.moduleId ?? row.namedModuleId ?? row.onlyModuleId,
    failure: failure && {
      ...failure,
      firstAt: timestamp(new Date(failure.firstAt)),
      lastAt: timestamp(new Date(failure.lastAt)),
    },
    canRetry: row.status === 'failed' && row.archiveKey !== null,
  };
}

const retry = endpoint('post', `${path}/{importId}/retry`, {
  id: 'retryImport',
  summary: 'Retry a failed import',
  description: 'Possible while its upload is stored. Retrying it again while it is queued has no effect.',
  access: operator,
  answers: { 202: json('The import is queued again.', operatorImport) },
  problems: ['not-found', 'import-not-retryable'],
  handle: async ({ api, caller, path: { importId } }) =>
    reply(202, importForOperators(await retryImport(api, importId, tokenActor(caller)))),
});

const retryAll = endpoint('post', `${path}/retry`, {
  id: 'retryFailedImports',
  summary: 'Retry all failed imports',
  description:
    'Retries failed imports, except dismissed ones, while their uploads are stored. Without parameters it covers ' +
    'all organizations.',
  access: operator,
  query: {
    organizationId: inputGuid('Only imports of this organization.'),
    step: oneOf(STEPS, 'Only imports whose last attempt failed at this step.'),
  },
  answers: {
    202: json(
      'The imports are queued again.',
      namedObject('RetriedImports', 'The result of a retry of all failed imports.', {
        retried: integer('The number of imports that are queued again.'),
      }),
    ),
  },
  async handle({ api, caller, query: { organizationId = null, step = null } }) {
    const retried = await requeueFailed(api.database, { organizationId, step }, tokenActor(caller));
    return reply(202, { retried });
  },
});

const dismiss = endpoint('post', `${path}/{importId}/dismiss`, {
  id: 'dismissImport',
  summary: 'Dismiss a failed import',
  description:
    "Removes a failed import from the operators' list. It stays `failed` for its vendor, and can still be retried " +
    'while its upload is stored. Dismissing it again has no effect.',
  access: operator,
  answers: { 200: json('The import is dismissed.', operatorImport) },
  problems: ['not-found', 'import-not-failed'],
  async handle({ api, caller, path: { importId } }) {
    await dismissImport(api.database, importId, tokenActor(caller));
    const row = found(await findImport(api.database, null, importId), 'There is no such import.');
    if (row.dismissedAt !== null) return ok(importForOperators(row));
    throw new ProblemError(
      'import-not-failed',
      `The status of the import is ${row.status}. Only a failed import can be dismissed.`,
    );
  },
});

/** The endpoints for failed imports. */
export const FAILED_IMPORT_ENDPOINTS = [retry, retryAll, dismiss];

/**
 * Queues a failed import again: its row decides, in one statement with whether its upload is still stored. Repeating
 * the call has no effect, because the answer of the first may have been lost.
 * @throws ProblemError 404 or 409.
 */
export async function retryImport(api: ApiContext, importId: string, actor: Actor): Promise<ImportRow> {
  const row = await requeueImport(api.database, importId, actor);
  if (row === null) return retriedAlready(api, importId);
  await api.queue
    .addImport({ importId, retries: row.retries })
    .catch((error: unknown) =>
      api.log.warn({ err: error, importId }, 'import not queued; the sweep requeues it'),
    );
  return row;
}

async function retriedAlready(api: ApiContext, importId: string): Promise<ImportRow> {
  const row = found(await findImport(api.database, null, importId), 'There is no such import.');
  // The answer to an earlier call may have been lost.
  if (row.status !== 'failed' && row.retries > 0) return row;
  throw new ProblemError(
    'import-not-retryable',
    row.status === 'failed'
      ? 'The upload of the import is no longer stored. The package must be uploaded again.'
      : `The status of the import is ${row.status}. Only a failed import can be retried.`,
  );
}
