import type { NewIndex } from './migration.ts';

/** The newest change of a module that may change which rules it reads: neither structures nor acknowledged alerts do. */
export const name = '0029-rule-change-indexes';

export const indexes: readonly NewIndex[] = [
  {
    name: 'changes_of_rules',
    on: `changes (module_id, position)
      where type not in ('structures.changed', 'structures.erased', 'alert.acknowledged')`,
  },
];
