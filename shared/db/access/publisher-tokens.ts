import { randomUUID } from 'node:crypto';
import { auditInsert, type Actor } from './audit-log.ts';
import type { Database } from '../database.ts';
import type { ModuleKey } from '../modules/models.ts';
import type { Row } from '../rows.ts';
import { queryRows } from '../statement.ts';
import { suspensionReason } from './suspension-state.ts';
import { hashOfSecret, newSecret } from './secrets.ts';

export const PUBLISHER_TOKEN_SECONDS = 900;

/** An issuer's token that is exchanged: it can be used once. */
export interface ExchangedToken extends PublisherRun {
  readonly publisherId: string;
  readonly jti: string;
  /** When it expires for certain, whatever clock is asked. */
  readonly expiresAt: Date;
}

/** The grant of an access token: to import into its module, and to read these imports. */
export interface PublisherGrant extends ModuleKey, PublisherRun {
  readonly id: string;
  readonly publisherId: string;
  readonly tenantId: string;
  /** Why its organization is suspended; null: it is not. */
  readonly suspensionReason: string | null;
  readonly expiresAt: Date;
}

const AUDITED = auditInsert('trustedPublishing.exchanged', 'issued', {
  actor: ':actor',
  actorName: 'null',
  moduleId: 'module_id',
  details: ':details',
});

/*
 * One statement. The publisher's row is locked as a foreign key would lock it: who removes it waits, and then removes
 * the new token too. The primary key of used_token_ids lets one of several equal exchanges through.
 */
const ISSUE = `
  with publisher as (
    select p.* from trusted_publishers p join modules m on m.id = p.module_id
    where p.id = :publisherId and m.deleted_at is null for key share of p
  ), used as (
    insert into used_token_ids (issuer, jti, expires_at) select issuer, :jti, :usedUntil from publisher
    on conflict do nothing returning issuer
  ), issued as (
    insert into publisher_tokens
      (token_sha256, id, publisher_id, organization_id, module_id, issuer, subject, repository, workflow, commit, run,
        expires_at)
    select :tokenSha256, :id, p.id, p.organization_id, p.module_id, p.issuer, :subject, :repository, :workflow, :commit,
      :run, now() + :seconds * interval '1 second'
    from publisher p, used
    returning organization_id, module_id
  ), recorded as (${AUDITED})
  select exists (select from publisher) as is_registered, exists (select from issued) as is_issued`;

/**
 * Stores an access token for an issuer's token, with its entry in the audit log. `repeated`: the issuer's token was
 * exchanged before; `removed`: the publisher was removed meanwhile.
 */
export async function issuePublisherToken(
  database: Database,
  accessToken: string,
  { publisherId, jti, expiresAt, ...run }: ExchangedToken,
  actor: Actor,
  details: Readonly<Record<string, string>>,
): Promise<'issued' | 'repeated' | 'removed'> {
  const rows = await queryRows<{ isRegistered: boolean; isIssued: boolean }>(database, ISSUE, {
    ...{ publisherId, jti, usedUntil: expiresAt, seconds: PUBLISHER_TOKEN_SECONDS },
    ...{ id: randomUUID(), tokenSha256: hashOfSecret(accessToken), ...run },
    ...{ actor: actor.subject, traceId: actor.traceId, authority: actor.authority },
    details: JSON.stringify(details),
  });
  if (rows[0]?.isIssued === true) return 'issued';
  return rows[0]?.isRegistered === true ? 'repeated' : 'removed';
}

/** The grant of an access token; null when it is unknown, expired, or ended with its publisher. */
export async function findPublisherToken(database: Database, token: string): Promise<PublisherGrant | null> {
  const found = await database('publisher_tokens as t')
    .join('organizations as o', 'o.id', 't.organizationId')
    .where({ 't.tokenSha256': hashOfSecret(token) })
    .where('t.expiresAt', '>', database.raw('now()'))
    .first<PublisherGrant | undefined>(
      't.*',
      'o.tenantId',
      database.raw(`${suspensionReason('o.id')} as suspension_reason`),
    );
  return found ?? null;
}

/** What an issuer's token says of the run that has it; null where it does not. */
export type PublisherRun = Readonly<
  Pick<Row<'publisher_tokens'>, 'issuer' | 'subject' | 'repository' | 'workflow' | 'commit' | 'run'>
>;

/** The run that uploaded a package, as it was recorded; an issuer of null: the publisher was removed at the same time. */
export type RecordedRun = { readonly [Name in keyof PublisherRun]: string | null };

/** Distinguishes it from the issuers' tokens. */
const PREFIX = 'mmp_';
const FORM = /^mmp_[\w-]{43}$/;

export function makePublisherToken(): string {
  return newSecret(PREFIX);
}

/** Whether a bearer token has the form of a trusted publisher's. */
export function isPublisherToken(text: string): boolean {
  return FORM.test(text);
}
