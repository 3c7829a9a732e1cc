import type { NewIndex } from './migration.ts';

/** The modules in quarantine, which operators list. */
export const name = '0014-release-indexes';

export const indexes: readonly NewIndex[] = [
  { name: 'modules_quarantined', on: 'modules (quarantined_at) where quarantined_at is not null' },
];
