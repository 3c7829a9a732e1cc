import type { NewIndex } from './migration.ts';

/** What the roll-up and the collection look for. */
export const name = '0018-statistics-indexes';

export const indexes: readonly NewIndex[] = [
  { name: 'module_days_of_day', on: 'module_days (day, kind)' },
  { name: 'alerts_raised', on: 'alerts (created_at, module_id)' },
];
