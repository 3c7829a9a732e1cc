import type { Database } from '../../database.ts';
import { queryRows } from '../../statement.ts';

/** Any number, the same in every version. */
const ISSUER_SESSIONS_LOCK = 7_245_003;

/** The session and the person at the issuer, as its ID tokens and logout tokens name them. */
export interface IssuerSession {
  readonly issuerSessionId: string | null;
  readonly issuerSubject: string | null;
  /** When the issuer issued the ID token, by its clock; null: there is none. */
  readonly issuedAt: Date | null;
}

/** The issuer ended the session, or all of the person, while the person signed in. */
export class EndedAtIssuerError extends Error {
  override readonly name = 'EndedAtIssuerError';

  constructor() {
    super('the issuer has ended the session');
  }
}

/**
 * Locks what the issuer's logouts end, until the end of the transaction: a session that starts is either there for a
 * logout to end, or finds that logout. Sessions start beside each other.
 */
export async function lockIssuerSessions(transaction: Database, to: 'start' | 'end'): Promise<void> {
  const lock = to === 'start' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await transaction.raw(`select ${lock}(${ISSUER_SESSIONS_LOCK})`);
}

/** @throws EndedAtIssuerError if the issuer has ended the session since it issued the tokens */
export async function requireNotEnded(
  transaction: Database,
  { issuerSessionId, issuerSubject, issuedAt }: IssuerSession,
): Promise<void> {
  const rows = await queryRows(
    transaction,
    `select from used_token_ids where issuer_session_id = :issuerSessionId::text or
       (issuer_session_id is null and issuer_subject = :issuerSubject::text and issued_at >= :issuedAt::timestamptz)
     limit 1`,
    { issuerSessionId, issuerSubject, issuedAt },
  );
  if (rows.length > 0) throw new EndedAtIssuerError();
}
