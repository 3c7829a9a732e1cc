import { Type } from 'typebox';
import { listAudit } from '../../shared/db/access/audit-log.ts';
import { AUDIT_ACTIONS, type AuditDetails, type AuditEntryModel } from '../../shared/db/access/models.ts';
import { member, operator } from '../auth/endpoint-access.ts';
import { listEndpoint, tagged } from '../http/endpoint.ts';
import { page, mapPage } from '../http/pagination.ts';
import { answerOf } from '../http/answer.ts';
import { dateTime, guid, inputGuid, namedObject, oneOf, orNull, text } from '../http/schema.ts';

const details = Type.Unsafe<AuditDetails>({
  type: 'object',
  // Any value: alternatives with a list among them do not compile in Java.
  additionalProperties: { description: 'A text, a number, or a list of texts.' },
  description: 'Further details, such as the data areas that an installation accepted.',
});

const auditEntry = namedObject('AuditEntry', 'A recorded change.', {
  id: guid('The ID of the entry.'),
  at: dateTime('When it happened.'),
  organizationId: guid('The organization whose log shows the entry.'),
  actor: text(
    'The actor: the subject of the token; `organization` and an ID for an action of another organization.',
  ),
  action: oneOf(AUDIT_ACTIONS, 'The kind of action.'),
  moduleId: orNull(guid('The module; null if the action is about none.')),
  clientId: orNull(guid('The API client; null if the action is about none.')),
  targetId: orNull(guid('The import, alert rule, alert or invitation; null if the action is about none.')),
  details: orNull(details),
  traceId: text('The trace ID of the request.'),
});

const entries = page(auditEntry, 'audit log entries', { brief: 'entries' });

const list = listEndpoint('/api/v8.0/{orgId}/auditLog', {
  id: 'listAuditLog',
  summary: 'Read the audit log',
  description: "The organization's entries, newest first.",
  access: member,
  page: entries,
  async list({ api, caller }, request) {
    const filter = { organizationId: caller.organization.id, actor: null, action: null };
    return mapPage(await listAudit(api.database, filter, request), entryAnswer);
  },
});

const listAll = listEndpoint('/api/v8.0/operations/auditLog', {
  id: 'listAllAuditLogs',
  summary: 'Read the audit log of all organizations',
  description: 'Newest first.',
  access: operator,
  query: {
    organizationId: inputGuid('Only entries of this organization.'),
    actor: text('Only entries of this actor.'),
    action: oneOf(AUDIT_ACTIONS, 'Only entries of this action.'),
  },
  page: entries,
  async list({ api, query: { organizationId = null, actor = null, action = null } }, request) {
    return mapPage(await listAudit(api.database, { organizationId, actor, action }, request), entryAnswer);
  },
});

/** The log of who changed what. */
export const AUDIT_LOG_ENDPOINTS = [...tagged('Operators', [listAll]), ...tagged('Audit log', [list])];

function entryAnswer(row: AuditEntryModel) {
  return answerOf(row, { at: row.createdAt });
}
