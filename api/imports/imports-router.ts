import { Router } from 'express';
import type { Request, Response } from 'express';
import { cancelImport, findImport, listImports } from '../../shared/db/imports/imports.ts';
import type { ImportRow } from '../../shared/db/models.ts';
import type { ApiContext } from '../context.ts';
import { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { guidParameter, guidQuery, methodNotAllowed, ProblemError } from '../http/problem.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { acceptImport, queueImport } from './accept-import.ts';
import type { AcceptedImport } from './accept-import.ts';
import { importAddress, importItem, sendImportEnd } from './import-answer.ts';
import { streamImportEvents } from './import-events.ts';
import { importPreferences } from './import-preferences.ts';
import type { ImportPreferences } from './import-preferences.ts';
import { importStatusQuery } from './import-status.ts';
import { measuredUpload } from './measured-upload.ts';
import { pageAnswer, pageRequest } from '../http/pagination.ts';

/** Uploading a package, and reading what became of it. */
export function importsRouter(api: ApiContext): Router {
  const router = Router();
  addUpload(router, api);
  addReads(router, api);
  addCancel(router, api);
  return router;
}

function addUpload(router: Router, api: ApiContext): void {
  const { maxUploads, maxUploadsPerOrganization, maxImportsPerMinute } = api.config.imports;
  const slots = uploadLimit(maxUploads, maxUploadsPerOrganization);
  const rate = new RateLimit('imports', maxImportsPerMinute, api.redis);
  router.post('/:orgId/ImportModuleAsync', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationAdmin', 'vendor');
    const preferences = importPreferences(request);
    await rate.spend(organization.id, "The organization's imports of");
    const freeSlot = slots.take(organization.id);
    const upload = await measuredUpload(api, request, response).finally(freeSlot);
    const accepted = await acceptImport(api, organization, upload, preferences);
    await answerImport(api, response, { ...accepted, organizationId: organization.id }, preferences);
  });
  router.all('/:orgId/ImportModuleAsync', methodNotAllowed('POST'));
}

function uploadLimit(max: number, maxPerOrganization: number): ConcurrencyLimit {
  const tooMany = 'Too many uploads at once. Try again in a moment.';
  const tooManyOfOne = `The organization has ${maxPerOrganization} uploads at once, the most that are taken.`;
  return new ConcurrencyLimit(
    { max, code: 'unavailable', detail: tooMany },
    { max: maxPerOrganization, code: 'rate-limited', detail: tooManyOfOne },
  );
}

function addReads(router: Router, api: ApiContext): void {
  router.get('/:orgId/imports', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationMember', 'vendor');
    const page = await listImports(api.database, organization.id, pageRequest(request), {
      status: importStatusQuery(request),
      moduleId: guidQuery(request, 'moduleId'),
    });
    response.json(pageAnswer(page, importItem));
  });
  router.all('/:orgId/imports', methodNotAllowed('GET'));

  router.get('/:orgId/imports/:importId', async (request, response) => {
    response.json(importItem(await readImport(api, request)));
  });
  router.all('/:orgId/imports/:importId', methodNotAllowed('GET'));

  router.get('/:orgId/imports/:importId/events', async (request, response) => {
    await streamImportEvents(api, request, response, await readImport(api, request));
  });
  router.all('/:orgId/imports/:importId/events', methodNotAllowed('GET'));
}

function addCancel(router: Router, api: ApiContext): void {
  router.post('/:orgId/imports/:importId/cancel', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationAdmin', 'vendor');
    const importId = guidParameter(request, 'importId');
    const isCancelled = await cancelImport(api.database, organization.id, importId);
    if (isCancelled) api.metrics.cancelled.inc();
    const row = await findOwnImport(api, organization.id, importId);
    if (!isCancelled && row.status !== 'cancelled') {
      throw new ProblemError(
        'import-not-cancellable',
        `The import is ${row.status}; only a queued one can be cancelled.`,
      );
    }
    response.json(importItem(row));
  });
  router.all('/:orgId/imports/:importId/cancel', methodNotAllowed('POST'));
}

async function readImport(api: ApiContext, request: Request): Promise<ImportRow> {
  const { organization } = await api.access.organization(request, 'OrganizationMember', 'vendor');
  return findOwnImport(api, organization.id, guidParameter(request, 'importId'));
}

async function findOwnImport(api: ApiContext, organizationId: string, importId: string): Promise<ImportRow> {
  const row = await findImport(api.database, organizationId, importId);
  if (row === null) throw new ProblemError('not-found', 'The organization has no such import.');
  return row;
}

/** Queues the import, waits for its end as long as client and server want to, and answers from its row. */
async function answerImport(
  api: ApiContext,
  response: Response,
  { importId, isNew, organizationId }: AcceptedImport & { readonly organizationId: string },
  { waitSeconds, applied }: ImportPreferences,
): Promise<void> {
  const maxSeconds = Math.min(waitSeconds ?? Infinity, api.config.imports.waitSeconds);
  const hungUp = new AbortController();
  response.once('close', () => {
    hungUp.abort();
  });
  // Waiting begins before the job is queued: it may end sooner than the queue answers.
  const end =
    maxSeconds > 0 ? api.waiter.ended(importId, maxSeconds * 1_000, hungUp.signal) : Promise.resolve(null);
  if (isNew) await queueImport(api, importId);
  else api.waiter.askNow();
  const ended = await end;
  if (hungUp.signal.aborted) return;
  if (applied !== null) response.set('Preference-Applied', applied);
  if (ended !== null) {
    sendImportEnd(response, ended);
    return;
  }
  const row = await findOwnImport(api, organizationId, importId);
  const address = importAddress(row);
  if (waitSeconds === null) {
    throw new ProblemError(
      'import-still-running',
      api.waiter.hasGivenUp
        ? 'The process that waited for the import is stopping; the import goes on.'
        : `The import did not end within ${maxSeconds} seconds; it goes on.`,
      {
        importId,
        headers: { Location: address, 'Retry-After': '10' },
      },
    );
  }
  response.status(202).location(address).json(importItem(row));
}
