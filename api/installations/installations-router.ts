import { Router } from 'express';
import type { Request } from 'express';
import {
  deleteInstallation,
  findInstallation,
  listInstallations,
  putInstallation,
} from '../../shared/db/access/installations.ts';
import type { Installation, InstallationKey, InstallOutcome } from '../../shared/db/access/installations.ts';
import { GUID_PATTERN } from '../../shared/package/schema/schema-parts.ts';
import type { ApiContext } from '../context.ts';
import type { Role } from '../auth/access-token.ts';
import { guidParameter, hasBody, methodNotAllowed, ProblemError, timestamp } from '../http/problem.ts';
import { bodyProblem, bodyReader, bodySchema, jsonBody } from '../http/json-body.ts';
import { pageAnswer, pageRequest } from '../http/pagination.ts';

interface InstallationBody {
  readonly acceptedDataAreaIds?: readonly string[];
}

/** The body, which may be missing, that installs a module. */
export const installationBody = bodySchema<InstallationBody>({
  type: 'object',
  additionalProperties: false,
  properties: {
    acceptedDataAreaIds: {
      type: 'array',
      maxItems: 1000,
      items: { type: 'string', pattern: GUID_PATTERN },
    },
  },
});

/** The modules that a farmer has installed. */
export function installationsRouter(api: ApiContext): Router {
  const router = Router();
  addList(router, api);
  addInstallation(router, api);
  return router;
}

function addList(router: Router, api: ApiContext): void {
  router.get('/:orgId/installations', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationMember', 'farmer');
    const page = await listInstallations(api.database, organization.id, pageRequest(request));
    response.json(pageAnswer(page, installationItem));
  });
  router.all('/:orgId/installations', methodNotAllowed('GET'));
}

function addInstallation(router: Router, api: ApiContext): void {
  const readBody = bodyReader(api.config.server.maxJsonBodyBytes);

  router.get('/:orgId/installations/:moduleId', async (request, response) => {
    const key = await installationKey(api, request, 'OrganizationMember');
    const found = await findInstallation(api.database, key);
    if (found === null) throw notInstalled();
    response.json(installationItem(found));
  });
  router.put('/:orgId/installations/:moduleId', async (request, response) => {
    const key = await installationKey(api, request, 'OrganizationAdmin');
    await readBody(request, response);
    const put = await putInstallation(api.database, key, acceptedDataAreaIds(request));
    if (!('installation' in put)) throw refusalOf(put);
    response.status(put.outcome === 'created' ? 201 : 200).json(installationItem(put.installation));
  });
  router.delete('/:orgId/installations/:moduleId', async (request, response) => {
    const key = await installationKey(api, request, 'OrganizationAdmin');
    if (!(await deleteInstallation(api.database, key))) throw notInstalled();
    response.status(204).end();
  });
  router.all('/:orgId/installations/:moduleId', methodNotAllowed('GET', 'PUT', 'DELETE'));
}

async function installationKey(api: ApiContext, request: Request, role: Role): Promise<InstallationKey> {
  const { organization } = await api.access.organization(request, role, 'farmer');
  return { organizationId: organization.id, moduleId: guidParameter(request, 'moduleId') };
}

/** Null: all that the module declares. */
function acceptedDataAreaIds(request: Request): readonly string[] | null {
  // A body that was not read, for its content type, may hold a narrower choice: it is no consent to all.
  if (request.body === undefined && !hasBody(request)) return null;
  const { acceptedDataAreaIds: ids = null } = jsonBody(request, installationBody);
  return ids === null ? null : ids.map((id) => id.toLowerCase());
}

function refusalOf(put: Exclude<InstallOutcome, { readonly installation: Installation }>): ProblemError {
  if (put.outcome === 'module-missing')
    return new ProblemError('not-found', "The organization's tenant offers no such module.");
  return bodyProblem(
    put.places.map((place) => ({
      pointer: `/acceptedDataAreaIds/${place}`,
      detail: 'The module does not declare this data area.',
    })),
  );
}

function notInstalled(): ProblemError {
  return new ProblemError('not-found', 'The organization does not have this module installed.');
}

function installationItem(row: Installation) {
  return {
    organizationId: row.organizationId,
    moduleId: row.moduleId,
    acceptedDataAreaIds: row.acceptedDataAreaIds,
    consentPending: row.consentPending,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
