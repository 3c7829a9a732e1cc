import type { NewIndex } from './migration.ts';

/** The words of the market and its order, and the consents to a module and by age. */
export const name = '0026-market-indexes';

export const indexes: readonly NewIndex[] = [
  // A long list of pending entries is read by each search, and written out by an import that waits for it.
  { name: 'search_texts_words', on: 'search_texts using gin (words) with (gin_pending_list_limit = 256)' },
  { name: 'search_texts_newest', on: 'search_texts (tenant_id, created_at desc, module_id desc)' },
  { name: 'consents_module', on: 'consents (organization_id, module_id, created_at desc, id desc)' },
  { name: 'consents_oldest', on: 'consents (created_at)' },
];
