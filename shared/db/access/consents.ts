import type { Database } from '../database.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { ConsentModel } from './models.ts';

/** Whether a row is the latest consent of its organization to its module, or (`withTerms`) to terms of it. */
const isLatest = (withTerms: boolean) => `consents.id = (
  select later.id from consents later
  where later.organization_id = consents.organization_id and later.module_id = consents.module_id${withTerms ? " and later.terms <> '[]'" : ''}
  order by later.created_at desc, later.id desc limit 1)`;

/**
 * Whether a consent is the latest to an installed module, or the latest to its terms. `offset 0` makes PostgreSQL look up
 * the installation of each row, instead of reading all installations.
 */
export const IS_IN_FORCE = `
  exists (select from installations i where i.organization_id = consents.organization_id and i.module_id = consents.module_id offset 0)
  and (${isLatest(false)} or (consents.terms <> '[]' and ${isLatest(true)}))`;

/** An organization's consents, newest first; of one module if it is named. */
export async function listConsents(
  database: Database,
  organizationId: string,
  moduleId: string | null,
  page: PageRequest,
): Promise<Page<ConsentModel>> {
  const query = ConsentModel.query(database).where({
    organizationId,
    ...(moduleId !== null && { moduleId }),
  });
  return keysetPage(query, page);
}
