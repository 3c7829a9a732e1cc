import { Router } from 'express';
import {
  findAvailableModule,
  findLogo,
  listAvailableModules,
} from '../../shared/db/modules/available-modules.ts';
import type { AvailableModule, AvailableModuleSummary } from '../../shared/db/modules/available-modules.ts';
import { MODULE_VERSION } from '../../shared/package/descriptor/descriptor.ts';
import type { ApiContext } from '../context.ts';
import { sendFile } from '../http/file-answer.ts';
import { guidParameter, methodNotAllowed, ProblemError } from '../http/problem.ts';
import { timestamp } from '../http/timestamp.ts';
import { pageAnswer, pageRequest } from '../http/pagination.ts';

/** What a farmer can install: the modules of the own tenant. */
export function availableModulesRouter(api: ApiContext): Router {
  const router = Router();

  router.get('/:orgId/availableModules', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationMember', 'farmer');
    const page = await listAvailableModules(api.database, organization.tenantId, pageRequest(request));
    response.json(pageAnswer(page, summaryItem));
  });
  router.all('/:orgId/availableModules', methodNotAllowed('GET'));

  router.get('/:orgId/availableModules/:moduleId', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationMember', 'farmer');
    const moduleId = guidParameter(request, 'moduleId');
    const found = await findAvailableModule(api.database, organization.tenantId, moduleId);
    if (found === null)
      throw new ProblemError('not-found', "The organization's tenant offers no such module.");
    response.json({ ...summaryItem(found), alertRules: found.alertRules });
  });
  router.all('/:orgId/availableModules/:moduleId', methodNotAllowed('GET'));

  router.get('/:orgId/availableModules/:moduleId/logo', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationMember', 'farmer');
    const moduleId = guidParameter(request, 'moduleId');
    const path = logoPath(request.query['path']);
    const file = await findLogo(api.database, organization.tenantId, moduleId, path);
    if (file === null)
      throw new ProblemError('not-found', "The organization's tenant offers no module with such a logo.");
    await sendFile(request, response, api.archives, file);
  });
  router.all('/:orgId/availableModules/:moduleId/logo', methodNotAllowed('GET'));

  return router;
}

/** Which logo of several: its path as the module tells it; null: the first. */
function logoPath(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === 'string' && !value.includes('\0')) return value.normalize('NFC');
  throw new ProblemError('request-invalid', 'path must be the path of a logo, given once.');
}

/** A module as farmers see it: neither the vendor's scope nor the environment variables. */
function summaryItem(found: AvailableModule | AvailableModuleSummary) {
  return {
    id: found.id,
    moduleVersion: MODULE_VERSION,
    revision: found.currentRevision,
    translations: found.translations,
    logos: found.logos,
    dataAreaIds: found.dataAreaIds,
    createdAt: timestamp(found.createdAt),
    updatedAt: timestamp(found.updatedAt),
  };
}
