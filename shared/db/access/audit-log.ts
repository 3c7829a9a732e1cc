import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { keysetPage } from '../keyset-page.ts';
import type { Page, PageRequest } from '../keyset-page.ts';
import { AuditEntryModel } from '../models.ts';
import type { AuditAction } from '../models.ts';

/** Who acts, by which request. */
export interface Actor {
  readonly subject: string;
  readonly traceId: string;
}

/** What somebody did in an organization. */
export interface AuditEntry {
  readonly organizationId: string;
  readonly action: AuditAction;
  readonly moduleId: string | null;
  readonly clientId: string | null;
}

/** Writes an entry, in the transaction of the change that it records, so that neither is stored without the other. */
export async function writeAudit(
  transaction: Database,
  { subject, traceId }: Actor,
  entry: AuditEntry,
): Promise<void> {
  await AuditEntryModel.query(transaction).insert({ id: randomUUID(), ...entry, actor: subject, traceId });
}

/** An organization's entries, newest first. */
export async function listAudit(
  database: Database,
  organizationId: string,
  page: PageRequest,
): Promise<Page<AuditEntryModel>> {
  return keysetPage(AuditEntryModel.query(database).where({ organizationId }), page);
}
