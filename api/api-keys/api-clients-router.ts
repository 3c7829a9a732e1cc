import { Router } from 'express';
import type { Request, Response } from 'express';
import { makeApiKey } from '../../shared/db/access/api-key.ts';
import type { NewApiKey } from '../../shared/db/access/api-key.ts';
import {
  listApiKeys,
  registerApiClient,
  revokeApiClient,
  rotateApiClient,
} from '../../shared/db/access/api-keys.ts';
import { listAudit } from '../../shared/db/access/audit-log.ts';
import type { ApiKeyModel, AuditEntryModel } from '../../shared/db/models.ts';
import type { ApiContext } from '../context.ts';
import { actorOf } from '../auth/access.ts';
import { guidParameter, methodNotAllowed, ProblemError, timestamp } from '../http/problem.ts';
import { bodySchema, bodyProblem, optionalJsonBody } from '../http/json-body.ts';
import { pageAnswer, pageRequest } from '../http/pagination.ts';

const DAY_MS = 86_400_000;
const MAX_OVERLAP_SECONDS = 604_800;

interface RegisterBody {
  readonly clientName?: string | null;
  readonly expiresOn?: string | null;
}

/** The body, which may be missing, that registers a client. */
export const registerBody = bodySchema<RegisterBody>({
  type: 'object',
  additionalProperties: false,
  properties: {
    clientName: { type: ['string', 'null'], maxLength: 200, pattern: '\\S' },
    expiresOn: { type: ['string', 'null'], maxLength: 40 },
  },
});

/** The body, which may be missing, that rotates a key. */
export const rotateBody = bodySchema<{ readonly overlapSeconds?: number }>({
  type: 'object',
  additionalProperties: false,
  properties: { overlapSeconds: { type: 'integer', minimum: 0, maximum: MAX_OVERLAP_SECONDS } },
});

/** A vendor's API keys, and the log of who made and ended them. */
export function apiClientsRouter(api: ApiContext): Router {
  const router = Router();
  addRegister(router, api);
  addClients(router, api);
  addAuditLog(router, api);
  return router;
}

function addRegister(router: Router, api: ApiContext): void {
  const path = '/:orgId/registerApiClient/:moduleId';
  router.post(path, async (request, response) => {
    const { module, actor } = await administered(api, request);
    const { clientName = null, expiresOn = null } = await optionalJsonBody(request, response, registerBody);
    const client = { clientName, expiresAt: expiry(api, expiresOn) };
    const key = makeApiKey();
    const row = await registerApiClient(api.database, module, client, key, actor);
    if (row === null) throw new ProblemError('not-found', 'The organization has no such module.');
    sendSecret(response, row, key);
  });
  router.all(path, methodNotAllowed('POST'));
}

function addClients(router: Router, api: ApiContext): void {
  router.get('/:orgId/apiClients/:moduleId', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationMember', 'vendor');
    const module = { organizationId: organization.id, moduleId: guidParameter(request, 'moduleId') };
    response.json(pageAnswer(await listApiKeys(api.database, module, pageRequest(request)), keyItem));
  });
  router.all('/:orgId/apiClients/:moduleId', methodNotAllowed('GET'));

  const client = '/:orgId/apiClients/:moduleId/:clientId';
  router.delete(client, async (request, response) => {
    const { module, actor } = await administered(api, request);
    const key = { ...module, clientId: guidParameter(request, 'clientId') };
    if (!(await revokeApiClient(api.database, key, actor))) throw noClient();
    response.status(204).end();
  });
  router.all(client, methodNotAllowed('DELETE'));

  router.post(`${client}/rotate`, async (request, response) => {
    const { module, actor } = await administered(api, request);
    const { overlapSeconds = 0 } = await optionalJsonBody(request, response, rotateBody);
    const rotation = { overlapSeconds, expiresAt: expiry(api, null) };
    const key = makeApiKey();
    const client = { ...module, clientId: guidParameter(request, 'clientId') };
    const row = await rotateApiClient(api.database, client, rotation, key, actor);
    if (row === null) throw noClient();
    sendSecret(response, row, key);
  });
  router.all(`${client}/rotate`, methodNotAllowed('POST'));
}

function addAuditLog(router: Router, api: ApiContext): void {
  router.get('/:orgId/auditLog', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationMember', 'vendor');
    const page = await listAudit(api.database, organization.id, pageRequest(request));
    response.json(pageAnswer(page, auditItem));
  });
  router.all('/:orgId/auditLog', methodNotAllowed('GET'));
}

async function administered(api: ApiContext, request: Request) {
  const { organization, principal } = await api.access.organization(request, 'OrganizationAdmin', 'vendor');
  return {
    module: { organizationId: organization.id, moduleId: guidParameter(request, 'moduleId') },
    actor: actorOf(principal),
  };
}

/** When a new key ends: as asked for, at most the lifetime that the settings allow. */
function expiry(api: ApiContext, asked: string | null): Date {
  const { apiKeyLifetimeDays } = api.config.machineAccess;
  const latest = new Date(Date.now() + apiKeyLifetimeDays * DAY_MS);
  if (asked === null) return latest;
  const at = new Date(/^\d{4}-\d\d-\d\d(?:T.+)?$/.test(asked) ? asked : Number.NaN);
  if (at.getTime() > Date.now() && at <= latest) return at;
  throw bodyProblem([
    {
      pointer: '/expiresOn',
      detail: `The value must be an ISO 8601 time in the future, at most ${apiKeyLifetimeDays} days ahead.`,
    },
  ]);
}

/** The one answer that has the secret; nothing on its way may keep it. */
function sendSecret(response: Response, row: ApiKeyModel, key: NewApiKey): void {
  response.set('Cache-Control', 'no-store').json({
    moduleId: row.moduleId,
    clientSecret: key.secret,
    clientName: row.clientName,
    parentId: row.organizationId,
    clientId: row.clientId,
    expiresOn: timestamp(row.expiresAt),
    id: row.id,
  });
}

function keyItem(row: ApiKeyModel) {
  return {
    id: row.id,
    clientId: row.clientId,
    clientName: row.clientName,
    moduleId: row.moduleId,
    parentId: row.organizationId,
    secretStart: row.secretStart,
    createdAt: timestamp(row.createdAt),
    expiresOn: timestamp(row.expiresAt),
    revokedOn: timestamp(row.revokedAt),
    lastUsedOn: timestamp(row.lastUsedAt),
  };
}

function auditItem({ id, createdAt, actor, action, moduleId, clientId, traceId }: AuditEntryModel) {
  return { id, at: timestamp(createdAt), actor, action, moduleId, clientId, traceId };
}

function noClient(): ProblemError {
  return new ProblemError('not-found', 'The module has no such API client, or it was revoked.');
}
