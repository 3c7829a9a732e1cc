import type { NewIndex } from './migration.ts';

/** What the collection looks for, and the bytes that an organization stores. */
export const name = '0011-space-indexes';

export const indexes: readonly NewIndex[] = [
  { name: 'freed_archives_oldest', on: 'freed_archives (freed_at)' },
  { name: 'freed_archives_module', on: 'freed_archives (module_id)' },
  { name: 'module_revisions_stored', on: 'module_revisions (organization_id) include (archive_bytes)' },
  {
    name: 'imports_stored',
    on: 'imports (organization_id) include (size_bytes) where archive_key is not null and not validate_only',
  },
  {
    name: 'organizations_uncleared',
    on: 'organizations (deleted_at) where deleted_at is not null and cleared_at is null',
  },
  { name: 'modules_deleted', on: 'modules (deleted_at) where deleted_at is not null' },
];
