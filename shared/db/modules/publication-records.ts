import type { PassedCheck } from '../../package/rule-versions.ts';
import type { RecordedRun } from '../access/publisher-tokens.ts';
import type { Database } from '../database.ts';
import type { Row } from '../rows.ts';
import { queryRow } from '../statement.ts';

/** What anyone may know of how a revision came to be. */
export interface PublicationRecord extends Readonly<
  Pick<Row<'module_revisions'>, 'moduleId' | 'revision' | 'organizationId' | 'archiveBytes' | 'createdAt'>
> {
  readonly vendorName: string;
  /** Lower-case hex. */
  readonly archiveSha256: string;
  /** The run of a trusted publisher; null: a member of the organization imported it. */
  readonly publisher: RecordedRun | null;
  readonly checks: readonly PassedCheck[];
  readonly releasedAt: Date;
}

/**
 * The record of a revision that was released, by default of the one that everyone has. Null where there is none: the
 * module does not exist, or the revision is staged.
 */
export async function findPublicationRecord(database: Database, moduleId: string, revision: number | null) {
  return queryRow<PublicationRecord>(
    database,
    `select r.module_id, r.revision, r.organization_id, o.name as vendor_name, r.archive_bytes,
       encode(r.archive_sha256, 'hex') as archive_sha256, r.publisher, r.checks, r.created_at, r.released_at
     from modules m join organizations o on o.id = m.organization_id
       join module_revisions r on r.module_id = m.id and r.revision = coalesce(:revision::int, m.current_revision)
     where m.id = :moduleId and m.deleted_at is null and r.released_at is not null`,
    { moduleId, revision },
  );
}
