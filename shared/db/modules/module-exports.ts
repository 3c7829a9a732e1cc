import type { PackageFile } from '../../package/package-report.ts';
import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { Descriptor, StoredDescriptor } from '../../package/descriptor/descriptor.ts';
import { writeAudit, type Actor } from '../access/audit-log.ts';
import type { Database } from '../database.ts';
import { ownModule, type ModuleKey } from './models.ts';
import { environmentOf, fingerprintOf } from '../sealed-columns.ts';
import type { Row } from '../rows.ts';
import { shownRevision } from './visible-revision.ts';
import { queryRow, queryRows } from '../statement.ts';

/**
 * A revision that is exported, without its files. Revisions never change, so its files can be read later, unless it has
 * been deleted meanwhile.
 */
export interface ExportedRevision extends Readonly<
  Pick<Row<'module_revisions'>, 'moduleId' | 'organizationId' | 'revision' | 'archiveKey' | 'archiveBytes'>
> {
  /** With the values of its environment variables. */
  readonly descriptor: Descriptor;
  /** The hash of the descriptor and every file, lower-case hex. */
  readonly fingerprint: string;
  /** The hash of each file's compression, lower-case hex. */
  readonly packing: string;
}

export type ExportedFile = Omit<PackageFile, 'mediaType' | 'sha256'>;

/** A revision; where none is named, the one that vendors are shown; null where the organization has no such module or revision. */
export async function findExportedRevision(
  database: Database,
  keys: EncryptionKeys,
  { organizationId, moduleId }: ModuleKey,
  revision: number | null,
): Promise<ExportedRevision | null> {
  const row = await queryRow<ExportedRow>(
    database,
    `select m.organization_id, m.id as module_id, r.revision, r.descriptor, r.environment, r.fingerprint,
       encode(r.packing, 'hex') as packing, r.archive_key, r.archive_bytes
     from modules m join module_revisions r on r.module_id = m.id and r.revision = coalesce(:revision::int, ${shownRevision('m')})
     where m.id = :moduleId and m.organization_id = :organizationId and m.deleted_at is null`,
    { moduleId, organizationId, revision },
  );
  if (row === null) return null;
  const environment = keys.openJson(row.environment, environmentOf(moduleId));
  const environmentVariables = environment as Descriptor['environmentVariables'];
  return {
    ...row,
    descriptor: { ...row.descriptor, environmentVariables },
    fingerprint: keys.open(row.fingerprint, fingerprintOf(moduleId)).toString('hex'),
  };
}

interface ExportedRow extends Omit<ExportedRevision, 'descriptor' | 'fingerprint'> {
  readonly descriptor: StoredDescriptor;
  readonly environment: Buffer;
  readonly fingerprint: Buffer;
}

/** The most rows that are parsed on the event loop at once. */
const FILES_AT_ONCE = 1_000;

/** The files of a revision, in the order of the database's collation; null where it has been deleted meanwhile. */
export async function listExportedFiles(
  database: Database,
  { organizationId, moduleId, revision }: ExportedRevision,
): Promise<readonly ExportedFile[] | null> {
  const files: ExportedFile[] = [];
  for (let after = ''; ;) {
    const rows = await queryRows<ExportedFile | { path: null }>(
      database,
      `select f.path, f.size_bytes, f.crc32, f.method, f.data_offset, f.packed_bytes, f.packed_crc32
       from module_revisions r
         left join module_files f on f.module_id = r.module_id and f.revision = r.revision and f.path > :after
       where r.module_id = :moduleId and r.revision = :revision and r.organization_id = :organizationId
       order by f.path limit ${FILES_AT_ONCE}`,
      { moduleId, organizationId, revision, after },
    );
    // A revision without further files has one row of nulls.
    if (rows.length === 0) return null;
    const page = rows.filter((row): row is ExportedFile => row.path !== null);
    for (const file of page) files.push(file);
    after = page.at(-1)?.path ?? '';
    if (page.length < FILES_AT_ONCE) return files;
  }
}

/** Writes into the audit log that a module is exported; false where it has been deleted meanwhile. */
export async function recordExport(database: Database, module: ModuleKey, actor: Actor): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if ((await ownModule(transaction, module).forShare()) === undefined) return false;
    await writeAudit(transaction, actor, { ...module, action: 'module.exported' });
    return true;
  });
}
