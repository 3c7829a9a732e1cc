import { AUDIT_ACTIONS } from '../../shared/db/access/models.ts';
import { listAudit } from '../../shared/db/access/audit-log.ts';
import { member, operator } from '../auth/endpoint-access.ts';
import { ok } from '../http/answer.ts';
import { endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { mapPage, page, PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { ProblemError } from '../http/problem.ts';
import type { ParameterValues } from '../http/request/parameters.ts';
import { inputGuid, inputTime, oneOf, text } from '../http/schema.ts';
import { auditEntry } from './audit-entry.ts';
import { auditFormOf, entryAnswer, sendAudit } from './audit-log-forms.ts';

const entries = page(auditEntry, 'audit log entries', { brief: 'entries' });

const FILTER_QUERY = {
  actor: text('Only entries of this actor.'),
  moduleId: inputGuid('Only entries about this module.'),
  from: inputTime('Only entries of this time and later.'),
  to: inputTime('Only entries before this time.'),
};

/** @throws ProblemError 400 where the range ends before it starts */
function filterOf({ actor, moduleId, from, to }: ParameterValues<typeof FILTER_QUERY>) {
  const filter = {
    actor: actor ?? null,
    moduleId: moduleId ?? null,
    from: from === undefined ? null : new Date(from),
    to: to === undefined ? null : new Date(to),
  };
  if (filter.from !== null && filter.to !== null && filter.to < filter.from)
    throw new ProblemError('request-invalid', 'to must not be before from.');
  return filter;
}

const list = endpoint('get', '/api/v8.0/{orgId}/auditLog', {
  id: 'listAuditLog',
  summary: 'Read the audit log',
  description:
    "The organization's entries, newest first. `Accept` selects the form: JSON in pages, or NDJSON or CSV, which contain the whole range and take neither `limit` nor `cursor`.",
  access: member,
  query: { ...PAGE_QUERY, ...FILTER_QUERY },
  answers: {
    200: {
      ...entries,
      description: 'A page of entries as JSON, or all entries as NDJSON or CSV.',
      forms: {
        ...entries.forms,
        'application/x-ndjson': { schema: text('Each line is an AuditEntry.'), partSchema: auditEntry },
        'text/csv': {
          schema: text(
            'RFC 4180, with a header. The columns are the members of an AuditEntry; null is empty, and `details` is JSON. An apostrophe is put before a text that starts with `=`, `+`, `-`, `@`, a tab or a line break: a spreadsheet would run it as a formula.',
          ),
        },
      },
    },
  },
  async handle(call) {
    const { api, request, caller, query } = call;
    const organizationId = caller.organization.id;
    const filter = { organizationId, action: null, ...filterOf(query) };
    const form = auditFormOf(request);
    call.response.vary('Accept');
    if (form === null) {
      const found = await listAudit(api.database, filter, pageRequest(call));
      return ok(pageAnswer(call, mapPage(found, entryAnswer)));
    }
    if (query.limit !== undefined || query.cursor !== undefined)
      throw new ProblemError(
        'request-invalid',
        `limit and cursor are for application/json only: ${form.mediaType} contains the whole range.`,
      );
    return sendAudit(call, form, filter);
  },
});

const listAll = listEndpoint('/api/v8.0/operations/auditLog', {
  id: 'listAllAuditLogs',
  summary: 'Read the audit log of all organizations',
  description: 'Newest first.',
  access: operator,
  query: {
    organizationId: inputGuid('Only entries of this organization.'),
    action: oneOf(AUDIT_ACTIONS, 'Only entries of this action.'),
    ...FILTER_QUERY,
  },
  page: entries,
  async list({ api, query }, request) {
    const { organizationId = null, action = null } = query;
    const filter = { organizationId, action, ...filterOf(query) };
    return mapPage(await listAudit(api.database, filter, request), entryAnswer);
  },
});

/** The log of who changed what. */
export const AUDIT_LOG_ENDPOINTS = [...tagged('Operators', [listAll]), ...tagged('Audit log', [list])];
