import { Router } from 'express';
import {
  findOrganization,
  listOrganizations,
  putOrganization,
} from '../../shared/db/access/organizations.ts';
import type { OrganizationKind } from '../../shared/db/access/organizations.ts';
import type { OrganizationModel } from '../../shared/db/models.ts';
import type { ApiContext } from '../context.ts';
import { guidParameter, methodNotAllowed, ProblemError } from '../http/problem.ts';
import { timestamp } from '../http/timestamp.ts';
import { bodySchema, jsonBody, bodyReader } from '../http/json-body.ts';
import { pageAnswer, pageRequest } from '../http/pagination.ts';

interface OrganizationBody {
  readonly name: string;
  readonly kind: OrganizationKind;
  readonly tenantId: string;
}

/** The body that writes an organization. */
export const organizationBody = bodySchema<OrganizationBody>({
  type: 'object',
  required: ['name', 'kind', 'tenantId'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 200, pattern: '\\S' },
    kind: { enum: ['vendor', 'farmer'] },
    tenantId: {
      type: 'string',
      pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
    },
  },
});

function organizationItem(row: OrganizationModel) {
  return {
    id: row.id,
    tenantId: row.tenantId,
    kind: row.kind,
    name: row.name,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}

/** Organizations, for operators. */
export function organizationsRouter(api: ApiContext): Router {
  const router = Router();
  const readBody = bodyReader(api.config.server.maxJsonBodyBytes);

  router.get('/organizations', async (request, response) => {
    await api.access.operator(request);
    response.json(pageAnswer(await listOrganizations(api.database, pageRequest(request)), organizationItem));
  });
  router.all('/organizations', methodNotAllowed('GET'));

  router.put('/organizations/:orgId', async (request, response) => {
    await api.access.operator(request);
    await readBody(request, response);
    const id = guidParameter(request, 'orgId');
    const body = jsonBody(request, organizationBody);
    const put = await putOrganization(api.database, { ...body, id, tenantId: body.tenantId.toLowerCase() });
    if (put === null) {
      throw new ProblemError(
        'organization-fixed',
        'The organization exists with another kind or tenant; these never change.',
      );
    }
    response.status(put.created ? 201 : 200).json(organizationItem(put.organization));
  });
  router.get('/organizations/:orgId', async (request, response) => {
    await api.access.operator(request);
    const row = await findOrganization(api.database, guidParameter(request, 'orgId'));
    if (row === null) throw new ProblemError('not-found', 'There is no such organization.');
    response.json(organizationItem(row));
  });
  router.all('/organizations/:orgId', methodNotAllowed('GET', 'PUT'));

  return router;
}
