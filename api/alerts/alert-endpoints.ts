import { Type } from 'typebox';
import { acknowledgeAlert, listAlerts, type AlertFilter } from '../../shared/db/alerts/alerts.ts';
import type { AlertModel } from '../../shared/db/alerts/models.ts';
import type { PageRequest } from '../../shared/db/keyset-page.ts';
import type { ApiContext } from '../context.ts';
import { actorOf } from '../auth/access.ts';
import { farmerAdmin, farmerMember } from '../auth/endpoint-access.ts';
import { json, ok, answerOf } from '../http/answer.ts';
import { endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { page, mapPage } from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import { dateTime, guid, inputGuid, namedObject, oneOf, orNull, sha256, text } from '../http/schema.ts';

const STATUSES = ['firing', 'resolved'] as const;
const SEVERITIES = ['info', 'warning', 'critical'] as const;

/** An alert in answers to farmers. */
export const alert = namedObject('Alert', 'An alert that a module raised for a rule.', {
  id: guid('The ID of the alert.'),
  organizationId: guid('The organization of the farmer.'),
  moduleId: guid('The module that raised the alert.'),
  ruleId: guid('The rule of the alert.'),
  target: namedObject('AlertTarget', 'The structure that an alert is about.', {
    type: oneOf(['farm', 'field', 'block', 'irrigationStation'], 'The kind of the structure.'),
    id: guid('The ID of the structure.'),
  }),
  status: oneOf(STATUSES, 'Whether the alert is open.'),
  severity: oneOf(SEVERITIES, 'How urgent the alert is.'),
  startsAt: dateTime('When the reported condition began.'),
  endsAt: orNull(dateTime('When it ended; null while that is not known.')),
  title: text('The condition, in one line.'),
  message: text('The condition, and advice to the farmer.'),
  value: orNull(
    Type.Number({ description: 'The measured value, in the unit of the criterion; null if there is none.' }),
  ),
  labels: Type.Unsafe<Readonly<Record<string, string>>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Labels that distinguish alerts of one rule and target, by name.',
  }),
  fingerprint: sha256(
    'The SHA-256 of rule, target and labels, in hexadecimal digits. At most one alert of a fingerprint is open.',
  ),
  acknowledgedAt: orNull(dateTime('When somebody acknowledged the alert; null until then.')),
  acknowledgedBy: orNull(text('The person who acknowledged it: the subject of the token.')),
  createdAt: dateTime('When the module first raised the alert.'),
  updatedAt: dateTime('When the alert last changed.'),
});

const list = listEndpoint('/api/v8.0/{orgId}/alerts', {
  id: 'listAlerts',
  summary: 'List alerts',
  description: 'Newest first.',
  access: farmerMember,
  query: {
    status: oneOf(STATUSES, 'Only alerts with this status.'),
    severity: oneOf(SEVERITIES, 'Only alerts that are this urgent.'),
    moduleId: inputGuid('Only alerts of this module.'),
  },
  page: page(alert, 'alerts'),
  list: ({ api, caller, query: { status = null, severity = null, moduleId = null } }, request) =>
    alertsOf(api, caller.organization.id, { status, severity, moduleId }, request),
});

const acknowledge = endpoint('post', '/api/v8.0/{orgId}/alerts/{alertId}/acknowledge', {
  id: 'acknowledgeAlert',
  summary: 'Acknowledge an alert',
  access: farmerAdmin,
  answers: { 200: json('The alert.', alert) },
  recordsChanges: true,
  async handle({ api, caller, path }) {
    const row = await acknowledgeAlert(api.database, caller.organization.id, path.alertId, actorOf(caller));
    return ok(alertAnswer(found(row, 'The organization has no such alert.')));
  },
});

/** The alerts of a farmer. */
export const ALERT_ENDPOINTS = tagged('Alerts', [list, acknowledge]);

/** A page of a farmer's alerts, as answers have them. */
export async function alertsOf(
  { database }: Pick<ApiContext, 'database'>,
  organizationId: string,
  filter: AlertFilter,
  request: PageRequest,
) {
  return mapPage(await listAlerts(database, organizationId, filter, request), alertAnswer);
}

function alertAnswer(row: AlertModel) {
  return answerOf(row, {
    target: { type: row.targetType, id: row.targetId },
    fingerprint: row.fingerprint.toString('hex'),
  });
}
