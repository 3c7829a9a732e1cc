import type { Request, Response } from 'express';
import type { OrganizationAccess } from '../auth/access.ts';
import { vendorAdminOrPublisher } from '../auth/endpoint-access.ts';
import type { ApiContext } from '../context.ts';
import { json, ok, reply, SENT } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { ProblemError, unavailable } from '../http/problem.ts';
import { booleanOrBare, inputGuid, oneOf } from '../http/schema.ts';
import {
  acceptImport,
  queueImport,
  removing,
  type AcceptedImport,
  type AcceptOptions,
} from './accept-import.ts';
import { findImport } from '../../shared/db/imports/imports.ts';
import { importAnswer, importPath, packageImport, importSuccess, successOf } from './import.ts';
import { importPreferences, PREFERENCE_HEADERS, type ImportPreferences } from './import-preferences.ts';
import { PACKAGE_BODY, receivePackage } from './receive-upload.ts';

/** The upload of a package, answered with the result of its import. */
export const importModule = endpoint('post', '/api/v8.0/{orgId}/ImportModuleAsync', {
  id: 'importModule',
  summary: 'Import a package',
  description:
    'Uploads a package, waits for its import to end and returns the result. For a rejected package, the answer ' +
    'lists all problems and nothing is stored. The import continues if the client disconnects.',
  access: vendorAdminOrPublisher,
  query: {
    validateOnly: booleanOrBare('Validate the package, and remove the upload when the import has ended.'),
    moduleId: inputGuid('The module to update, for a package without a module ID.'),
    release: oneOf(
      ['staged'],
      "`staged` writes the revision without releasing it. Default: the module's release policy.",
    ),
    renameScope: booleanOrBare('Allow the package to give the module another scope.'),
  },
  headers: PREFERENCE_HEADERS,
  body: PACKAGE_BODY,
  answers: {
    200: json('The import succeeded.', importSuccess, ['Preference-Applied?']),
    202: json('The import continues. Location is its address.', packageImport, [
      'Location',
      'Preference-Applied',
    ]),
  },
  problems: [
    'import-rejected',
    'import-cancelled',
    'quota-exceeded',
    'registry-revision-changed',
    'request-idempotency-mismatch',
    'import-deadline-exceeded',
    'import-failed',
    'import-still-running',
  ],
  async handle({ api, request, response, caller, query }) {
    const { organization } = caller;
    const preferences = importPreferences(request, query);
    requireGranted(caller, preferences);
    const { maxImportsPerMinute } = await api.organizationLimits.of(organization.id);
    const priority = await api.imports.rate.spend(organization.id, response, maxImportsPerMinute);
    const receiving = api.imports.groups.receive(organization.id);
    const options = { preferences, priority, receiving };
    const accepted = await receiveAndAccept({ api, request, response }, caller, options).finally(
      receiving.end,
    );
    return answerWithEnd(api, response, accepted, preferences);
  },
});

/** The request of an upload, and what answers it. */
interface UploadCall {
  readonly api: ApiContext;
  readonly request: Request;
  readonly response: Response;
}

/** Stores the upload within the organization's quota, and accepts its import. */
async function receiveAndAccept(
  { api, request, response }: UploadCall,
  caller: OrganizationAccess,
  options: AcceptOptions,
): Promise<AcceptedImport> {
  const organizationId = caller.organization.id;
  const { idempotencyKey } = options.preferences;
  const reservation = api.imports.quota.open({ organizationId, idempotencyKey });
  let storedBytes = 0;
  try {
    await reservation.growTo(Number(request.get('content-length') ?? 0));
    const freeSlot = api.imports.uploadSlots.takeNow(organizationId);
    const upload = await receivePackage(api, request, response).finally(freeSlot);
    await reservation.growTo(upload.sizeBytes).catch(removing(api, upload));
    const accepted = await acceptImport(api, caller, upload, options);
    if (accepted.isNew) storedBytes = upload.sizeBytes;
    return accepted;
  } finally {
    reservation.end(storedBytes);
  }
}

/** A trusted publisher's token is for one module. @throws ProblemError 403 where the upload is for another */
function requireGranted({ publisher }: OrganizationAccess, { moduleId }: ImportPreferences): void {
  if (publisher === undefined || moduleId === null || moduleId === publisher.moduleId) return;
  throw new ProblemError('auth-forbidden', `The token may import the module ${publisher.moduleId} alone.`);
}

/** Queues the import, waits for its end within the limits of client and server, and answers with it. */
async function answerWithEnd(
  api: ApiContext,
  response: Response,
  { importId, organizationId, isNew, queued }: AcceptedImport,
  { waitSeconds, applied }: ImportPreferences,
) {
  const maxSeconds = Math.min(waitSeconds ?? Infinity, api.config.imports.waitSeconds);
  const hungUp = new AbortController();
  // A client that hung up before does not close again.
  if (response.destroyed) hungUp.abort();
  else response.once('close', () => hungUp.abort());
  // Waiting starts before the job is queued: the job may end before the queue answers.
  const end =
    maxSeconds > 0
      ? api.imports.waiter.ended(importId, maxSeconds * 1_000, hungUp.signal)
      : Promise.resolve(null);
  if (queued !== null) await queueImport(api, queued);
  if (!isNew) api.imports.waiter.wake([importId]);
  const ended = await end;
  if (hungUp.signal.aborted) return SENT;
  if (applied !== null) response.set('Preference-Applied', applied);
  if (ended !== null) return ok(successOf(ended));
  const row = await findImport(api.database, organizationId, importId);
  // Its row was committed, but a standby that lacked it has taken over.
  if (row === null)
    throw unavailable('The import was lost when the database failed over. Send the same request again.', 1);
  const headers = { Location: importPath(row) };
  if (waitSeconds !== null) return reply(202, importAnswer(row), headers);
  throw new ProblemError(
    'import-still-running',
    api.imports.waiter.isStopped
      ? 'The server is shutting down. The import continues.'
      : `The import did not end within ${maxSeconds} seconds. It continues.`,
    { importId, headers: { ...headers, 'Retry-After': '10' } },
  );
}
