import { Type, type Static } from 'typebox';
import { listAudit } from '../../shared/db/access/audit-log.ts';
import { AUDIT_ACTIONS, type AuditDetails, type AuditEntryModel } from '../../shared/db/access/models.ts';
import { member, operator } from '../auth/endpoint-access.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { dateTime, guid, inputGuid, namedObject, oneOf, orNull, pageOf, text } from '../http/schema.ts';
import { timestamp } from '../http/timestamp.ts';

const tag = 'Audit log';

const details = Type.Unsafe<AuditDetails>({
  type: 'object',
  // Any value: alternatives with a list among them do not compile in Java.
  additionalProperties: { description: 'A text, a number, or a list of texts.' },
  description: 'What else the entry records, such as the data areas that an installation accepted.',
});

const auditEntry = namedObject('AuditEntry', 'What somebody changed.', {
  id: guid('The ID of the entry.'),
  at: dateTime('When it happened.'),
  organizationId: guid('The organization whose log shows the entry.'),
  actor: text(
    'Who did it: the subject of the token; `organization` and an ID for an action of another organization.',
  ),
  action: oneOf(AUDIT_ACTIONS, 'What the actor did.'),
  moduleId: orNull(guid('The module; null if the action is about none.')),
  clientId: orNull(guid('The API client; null if the action is about none.')),
  targetId: orNull(guid('The import, alert rule, alert or invitation; null if the action is about none.')),
  details: orNull(details),
  traceId: text('The trace ID of the request.'),
});

const answers = {
  200: json('A page of entries.', pageOf('AuditEntryPage', auditEntry, 'A page of audit log entries.')),
};

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
