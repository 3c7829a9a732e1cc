import type { Database } from '../database.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import type { ModuleKey } from '../modules/models.ts';
import type { Row } from '../rows.ts';
import { KeyRequestModel } from './models.ts';

/** A request with an API key. */
export type KeyRequest = Readonly<Omit<Row<'key_requests'>, 'id'>>;

const INSERT = `
  insert into key_requests (id, organization_id, module_id, client_id, key_id, method, route, status, trace_id, created_at)
  select gen_random_uuid(), r."organizationId", r."moduleId", r."clientId", r."keyId", r.method, r.route, r.status,
    r."traceId", r."createdAt"
  from jsonb_to_recordset(:requests::jsonb) as r ("organizationId" uuid, "moduleId" uuid, "clientId" uuid, "keyId" uuid,
    method text, route text, status int, "traceId" text, "createdAt" timestamptz)`;

/** Logs requests: one statement for many. */
export async function logKeyRequests(database: Database, requests: readonly KeyRequest[]): Promise<void> {
  await database.raw(INSERT, { requests: JSON.stringify(requests) });
}

/** The filter of the log; null: every client, every status. */
export interface KeyRequestFilter {
  readonly clientId: string | null;
  /** Only requests without a successful answer. */
  readonly isFailed: boolean;
}

/** The requests with the keys of a module, newest first. */
export async function listKeyRequests(
  database: Database,
  module: ModuleKey,
  { clientId, isFailed }: KeyRequestFilter,
  page: PageRequest,
): Promise<Page<KeyRequestModel>> {
  const query = KeyRequestModel.query(database).where({ ...module, ...(clientId !== null && { clientId }) });
  if (isFailed) void query.whereRaw('(status is null or status >= 400)');
  return keysetPage(query, page);
}
