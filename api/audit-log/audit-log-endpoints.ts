import { Type } from 'typebox';
import type { Static } from 'typebox';
import { listAudit } from '../../shared/db/access/audit-log.ts';
import { AUDIT_ACTIONS } from '../../shared/db/models.ts';
import type { AuditDetails, AuditEntryModel } from '../../shared/db/models.ts';
import { member, operator } from '../auth/endpoint-access.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { dateTime, guid, inputGuid, namedObject, oneOf, orNull, pageOf, text } from '../http/schema.ts';
import { timestamp } from '../http/timestamp.ts';

const tag = 'Audit log';

const details = Type.Unsafe<AuditDetails>({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'array'], items: { type: 'string' } },
  description: 'What else the entry records, such as the data areas that an installation accepted.',
});

const auditEntry = namedObject('AuditEntry', 'What somebody changed.', {
  id: guid(),
  at: dateTime(),
  organizationId: guid('Whose log shows the entry.'),
  actor: text('The subject of the token; `organization` and an ID for an action of another organization.'),
  action: oneOf(AUDIT_ACTIONS),
  moduleId: orNull(guid()),
  clientId: orNull(guid('The API client.')),
  targetId: orNull(guid('The import, alert rule or alert.')),
  details: orNull(details),
  traceId: text('The trace ID of the request.'),
});

const answers = { 200: json('A page of entries.', pageOf(auditEntry, 'Audit log entries.')) };

const list = endpoint({
  id: 'listAuditLog',
  method: 'get',
  path: '/api/v8.0/{orgId}/auditLog',
  tag,
  summary: 'Read the audit log',
  description: 'What concerns the organization, newest first.',
  access: member,
  query: PAGE_QUERY,
  answers,
  async handle({ api, caller, query }) {
    const filter = { organizationId: caller.organization.id, actor: null, action: null };
    return ok(pageAnswer(await listAudit(api.database, filter, pageRequest(query)), auditEntryOf));
  },
});

const listAll = endpoint({
  id: 'listAllAuditLogs',
  method: 'get',
  path: '/api/v8.0/operations/auditLog',
  tag: 'Operators',
  summary: 'Read the audit log of all organizations',
  description: 'Newest first.',
  access: operator,
  query: {
    ...PAGE_QUERY,
    organizationId: inputGuid('Only entries of this organization.'),
    actor: text('Only entries of this actor.'),
    action: oneOf(AUDIT_ACTIONS, 'Only entries of this action.'),
  },
  answers,
  async handle({ api, query }) {
    const { organizationId = null, actor = null, action = null } = query;
    const page = await listAudit(api.database, { organizationId, actor, action }, pageRequest(query));
    return ok(pageAnswer(page, auditEntryOf));
  },
});

/** The log of who changed what. */
export const AUDIT_LOG_ENDPOINTS = [listAll, list];

function auditEntryOf({ createdAt, ...row }: AuditEntryModel): Static<typeof auditEntry> {
  return {
    id: row.id,
    at: timestamp(createdAt),
    organizationId: row.organizationId,
    actor: row.actor,
    action: row.action,
    moduleId: row.moduleId,
    clientId: row.clientId,
    targetId: row.targetId,
    details: row.details,
    traceId: row.traceId,
  };
}
