import { listAudit } from '../../shared/db/access/audit-log.ts';
import { vendorMember } from '../auth/endpoint-access.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { dateTime, guid, namedObject, oneOf, orNull, pageOf, text } from '../http/schema.ts';
import { timestamp } from '../http/timestamp.ts';

const auditEntry = namedObject('AuditEntry', 'An action in an organization.', {
  id: guid(),
  at: dateTime(),
  actor: text('The subject of the token.'),
  action: oneOf([
    'apiClient.registered',
    'apiClient.rotated',
    'apiClient.revoked',
    'module.deleted',
    'module.exported',
  ]),
  moduleId: orNull(guid()),
  clientId: orNull(guid()),
  traceId: text('The trace ID of the request.'),
});

const list = endpoint({
  id: 'listAuditLog',
  method: 'get',
  path: '/api/v8.0/{orgId}/auditLog',
  tag: 'API clients',
  summary: 'Read the audit log',
  description: 'Newest first.',
  access: vendorMember,
  query: PAGE_QUERY,
  answers: { 200: json('A page of entries.', pageOf(auditEntry, 'Audit log entries.')) },
  async handle({ api, caller, query }) {
    const page = await listAudit(api.database, caller.organization.id, pageRequest(query));
    return ok(
      pageAnswer(page, ({ id, createdAt, actor, action, moduleId, clientId, traceId }) => ({
        id,
        at: timestamp(createdAt),
        actor,
        action,
        moduleId,
        clientId,
        traceId,
      })),
    );
  },
});

/** The log of who created, rotated and revoked API keys, and who exported and deleted modules. */
export const AUDIT_LOG_ENDPOINTS = [list];
