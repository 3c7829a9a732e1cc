import type { Database } from '../../database.ts';
import { lockIssuerSessions } from './issuer-logouts.ts';
import type { Row } from '../../rows.ts';
import { queryRows } from '../../statement.ts';

const LISTED = ['id', 'browser', 'operatingSystem', 'createdAt', 'lastUsedAt', 'expiresAt'] as const;

/** A session, as its owner sees it. */
export type ListedSession = Readonly<Pick<Row<'sessions'>, (typeof LISTED)[number]>>;

const MAX_LISTED = 100;

/** The sessions of a person, the last used first. */
export async function listSessions(database: Database, subject: string): Promise<readonly ListedSession[]> {
  return database('sessions')
    .where({ subject })
    .where('expiresAt', '>', database.raw('now()'))
    .orderBy([{ column: 'lastUsedAt', order: 'desc' }, 'id'])
    .limit(MAX_LISTED)
    .select<ListedSession[]>(...LISTED);
}

/** Ends a session of a person; false if there is none. */
export async function endSessionOf(database: Database, subject: string, id: string): Promise<boolean> {
  const ended = await database('sessions')
    .where({ subject, id })
    .where('expiresAt', '>', database.raw('now()'))
    .delete();
  return ended > 0;
}

/** Ends all sessions of a person, or all but one; returns how many. */
export async function endSessionsOf(database: Database, subject: string, exceptId: string | null) {
  const ofPerson = database('sessions').where({ subject });
  return exceptId === null ? ofPerson.delete() : ofPerson.whereNot({ id: exceptId }).delete();
}

/** The sessions that an issuer ends: of a person, or one of its own. */
export interface EndedAtIssuer {
  readonly issuer: string;
  /** The ID of its logout token, which is accepted once. */
  readonly jti: string;
  /** After that its logout token is too old in any case. */
  readonly validForSeconds: number;
  readonly issuerSessionId: string | null;
  /** Only read without a session: then all sessions of the person end. */
  readonly issuerSubject: string | null;
  /** When the issuer ended them, by its clock. */
  readonly issuedAt: Date;
}

/** Ends what an issuer ended; returns how many sessions, or null if its token was used before. */
export async function endSessionsOfIssuer(database: Database, ended: EndedAtIssuer): Promise<number | null> {
  return database.transaction(async (transaction) => {
    await lockIssuerSessions(transaction, 'end');
    const rows = await queryRows<{ isNew: boolean; ended: number }>(
      transaction,
      `with used as (
         insert into used_token_ids (issuer, jti, issuer_session_id, issuer_subject, issued_at, expires_at)
         values (:issuer, :jti, :issuerSessionId, :issuerSubject, :issuedAt,
           now() + :validForSeconds * interval '1 second')
         on conflict do nothing returning issuer
       ), ended as (
         delete from sessions where exists (select from used) and
           case when :issuerSessionId::text is null then issuer_subject = :issuerSubject
             else issuer_session_id = :issuerSessionId end
         returning id
       )
       select exists (select from used) as is_new, (select count(*) from ended) as ended`,
      { ...ended },
    );
    return rows[0]?.isNew === true ? rows[0].ended : null;
  });
}
