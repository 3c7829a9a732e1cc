import { Router } from 'express';
import type { Request } from 'express';
import { acknowledgeAlert, listAlerts } from '../../shared/db/alerts/alerts.ts';
import type { AlertModel, AlertStatus } from '../../shared/db/models.ts';
import type { ApiContext } from '../context.ts';
import { guidParameter, guidQuery, methodNotAllowed, ProblemError, timestamp } from '../http/problem.ts';
import { pageAnswer, pageRequest } from '../http/pagination.ts';

/** What the modules' back ends raised for a farmer. */
export function alertsRouter(api: ApiContext): Router {
  const router = Router();

  router.get('/:orgId/alerts', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationMember', 'farmer');
    const filter = { status: statusQuery(request), moduleId: guidQuery(request, 'moduleId') };
    const page = await listAlerts(api.database, organization.id, filter, pageRequest(request));
    response.json(pageAnswer(page, alertItem));
  });
  router.all('/:orgId/alerts', methodNotAllowed('GET'));

  router.post('/:orgId/alerts/:alertId/acknowledge', async (request, response) => {
    const { organization, principal } = await api.access.organization(request, 'OrganizationAdmin', 'farmer');
    const alertId = guidParameter(request, 'alertId');
    const alert = await acknowledgeAlert(api.database, organization.id, alertId, principal.subject);
    if (alert === null) throw new ProblemError('not-found', 'The organization has no such alert.');
    response.json(alertItem(alert));
  });
  router.all('/:orgId/alerts/:alertId/acknowledge', methodNotAllowed('POST'));

  return router;
}

function statusQuery(request: Request): AlertStatus | null {
  const status = request.query['status'];
  if (status === undefined) return null;
  if (status === 'firing' || status === 'resolved') return status;
  throw new ProblemError('request-invalid', 'status must be firing or resolved.');
}

function alertItem(row: AlertModel) {
  return {
    id: row.id,
    organizationId: row.organizationId,
    moduleId: row.moduleId,
    ruleId: row.ruleId,
    target: { type: row.targetType, id: row.targetId },
    status: row.status,
    severity: row.severity,
    startsAt: timestamp(row.startsAt),
    endsAt: timestamp(row.endsAt),
    title: row.title,
    message: row.message,
    value: row.value,
    labels: row.labels,
    fingerprint: row.fingerprint.toString('hex'),
    acknowledgedAt: timestamp(row.acknowledgedAt),
    acknowledgedBy: row.acknowledgedBy,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
