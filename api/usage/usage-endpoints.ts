import { listUsage, readUsage, type Usage, type UsageCursor } from '../../shared/db/modules/stored-bytes.ts';
import type { ApiContext } from '../context.ts';
import { member, operator } from '../auth/endpoint-access.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint, tagged } from '../http/endpoint.ts';
import {
  limitedAnswer,
  openCursor,
  page,
  PAGE_QUERY,
  STANDARD_LIMIT,
  wrongCursor,
} from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import { guid, integer, namedObject, oneOf, text } from '../http/schema.ts';

const counts = {
  modules: integer('The number of modules.'),
  revisions: integer('The number of their revisions.'),
  storedBytes: integer('All stored bytes: the sum of the following three.'),
  revisionBytes: integer('The packages of the revisions, in bytes.'),
  deletedModuleBytes: integer(
    'The packages of deleted modules and revisions, in bytes, until they are removed from storage.',
  ),
  uploadBytes: integer(
    'Uploads of imports that have not ended, for validation too, and kept uploads of imports without a revision, in bytes.',
  ),
  importsLastDay: integer('The imports that were accepted in the last 24 hours.'),
  maxModules: integer('The most modules that the organization can keep.'),
  maxStoredBytes: integer('The most bytes that the organization can store. An upload beyond it is refused.'),
};

const usage = namedObject('Usage', "An organization's usage and its quotas.", {
  organizationId: guid('The ID of the organization.'),
  ...counts,
});

const organizationUsage = namedObject('OrganizationUsage', 'The usage of one of all organizations.', {
  organizationId: guid('The ID of the organization.'),
  organizationName: text('The name of the organization.'),
  kind: oneOf(['vendor', 'farmer'] as const, 'Whether it offers modules or installs them.'),
  ...counts,
});

const read = endpoint('get', '/api/v8.0/{orgId}/usage', {
  id: 'readUsage',
  summary: 'Read the usage of an organization',
  access: member,
  answers: { 200: json("The organization's usage.", usage) },
  async handle({ api, caller }) {
    const row = await readUsage(api.database, caller.organization.id);
    return ok(await withQuotas(api, found(row, 'There is no such organization.')));
  },
});

const list = endpoint('get', '/api/v8.0/operations/usage', {
  id: 'listUsage',
  summary: 'List the usage of all organizations',
  description: 'Largest first.',
  access: operator,
  query: PAGE_QUERY,
  answers: { 200: page(organizationUsage, 'organizations', { name: 'UsagePage' }) },
  async handle(call) {
    const { api, query } = call;
    const { limit = STANDARD_LIMIT } = query;
    const position = openCursor(call);
    const after = position === null ? null : decodePosition(position);
    const rows = await listUsage(api.database, limit + 1, after);
    const { items, nextCursor } = limitedAnswer(call, rows, encodePosition);
    return ok({ items: await Promise.all(items.map((row) => withQuotas(api, row))), nextCursor });
  },
});

/** What organizations keep. */
export const USAGE_ENDPOINTS = tagged('Usage', [list, read]);

async function withQuotas({ organizationLimits }: ApiContext, row: Usage) {
  const quotas = await organizationLimits.of(row.organizationId);
  return {
    ...row,
    maxModules: quotas.maxModulesPerOrganization,
    maxStoredBytes: quotas.maxStoredBytesPerOrganization,
  };
}

function encodePosition({ storedBytes, organizationId }: UsageCursor): string {
  return `${storedBytes} ${organizationId}`;
}

function decodePosition(text: string): UsageCursor {
  const [, bytes, organizationId] =
    /^(\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ?? [];
  if (organizationId === undefined) throw wrongCursor();
  return { storedBytes: Number(bytes), organizationId };
}
