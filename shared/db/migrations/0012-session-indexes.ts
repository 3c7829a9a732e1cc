import type { NewIndex } from './migration.ts';

/** The sessions of a person, and those of a session at the issuer. */
export const name = '0012-session-indexes';

export const indexes: readonly NewIndex[] = [
  { name: 'sessions_subject', on: 'sessions (subject)' },
  { name: 'sessions_issuer_session', on: 'sessions (issuer_session_id) where issuer_session_id is not null' },
  { name: 'sessions_issuer_subject', on: 'sessions (issuer_subject) where issuer_subject is not null' },
];
