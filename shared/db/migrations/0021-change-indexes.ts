import type { NewIndex } from './migration.ts';

/** The changes of a module in order, and the keys whose expiry was not reported. */
export const name = '0021-change-indexes';

export const indexes: readonly NewIndex[] = [
  { name: 'changes_of_module', on: 'changes (module_id, position)' },
  {
    name: 'api_keys_unreported',
    on: 'api_keys (expires_at) where revoked_at is null and expiry_reported_at is null',
  },
];
