import type { NewIndex } from './migration.ts';

/** What expires, by its time, and the tokens of a publisher. */
export const name = '0005-trusted-publishing-indexes';

export const indexes: readonly NewIndex[] = [
  { name: 'publisher_tokens_publisher', on: 'publisher_tokens (publisher_id)' },
  { name: 'publisher_tokens_expiry', on: 'publisher_tokens (expires_at)' },
  { name: 'used_token_ids_expiry', on: 'used_token_ids (expires_at)' },
];
