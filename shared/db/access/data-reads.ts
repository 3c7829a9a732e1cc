import type { Database } from '../database.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { moduleName } from './audit-log.ts';
import { DataReadModel } from './models.ts';

/** A read of an organization's data by a module's back end. */
export type DataRead = Readonly<Pick<DataReadModel, 'organizationId' | 'moduleId' | 'kind' | 'createdAt'>>;

// In the order of the key: two processes that note the same reads wait for each other, and never in a circle. An
// organization that was deleted meanwhile gets no row.
const NOTE = `
  insert into data_reads (id, organization_id, module_id, module_name, kind, created_at)
  select gen_random_uuid(), o.id, noted."moduleId", ${moduleName('o.id', 'noted."moduleId"')}, noted.kind, noted."createdAt"
  from jsonb_to_recordset(:reads::jsonb) as noted ("organizationId" uuid, "moduleId" uuid, kind text, "createdAt" timestamptz)
    join organizations o on o.id = noted."organizationId" and o.deleted_at is null
  order by 2, 3, 5, 6
  on conflict do nothing`;

const BATCH = 1_000;

/** Notes reads, each once for its module, kind and day: one statement for many. */
export async function noteDataReads(database: Database, reads: readonly DataRead[]): Promise<void> {
  for (let start = 0; start < reads.length; start += BATCH)
    await database.raw(NOTE, { reads: JSON.stringify(reads.slice(start, start + BATCH)) });
}

/** What modules have read of an organization, newest first; null: of every module. */
export async function listDataReads(
  database: Database,
  organizationId: string,
  moduleId: string | null,
  page: PageRequest,
): Promise<Page<DataReadModel>> {
  const query = DataReadModel.query(database).where({
    organizationId,
    ...(moduleId !== null && { moduleId }),
  });
  return keysetPage(query, page);
}
