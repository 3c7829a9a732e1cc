import { requireAuthority, type Authority } from './access/authority.ts';
import type { Database } from './database.ts';
import { onlyRow } from './statement.ts';

/** For how many days a key stands for its request. */
export const KEY_KEEP_DAYS = 7;

/** A client's key and the SHA-256 of its request. */
export interface IdempotencyClaim {
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly keepDays: number;
}

/** The organization of a request, and the authority that it needs; its repeat needs it too. */
export interface Claimant {
  readonly organizationId: string;
  readonly authority: Authority;
}

/** How a request was answered. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What a key stands for. */
interface ClaimedKey {
  readonly fingerprint: Buffer;
  readonly answer: KeptAnswer | null;
}

/**
 * The SQL that ties the keys of `rows` to their requests, unless they are tied already, and returns what they stand for. The
 * second of two concurrent claims waits for the end of the first's transaction, so that there is one winner. A repeat needs
 * its authority too, when it has waited: whoever reads what a key stands for checks it.
 */
export function claimKeys(rows: string): string {
  return `
  insert into idempotency_keys as known (organization_id, key, fingerprint, import_id, expires_at)
  select organization_id, key, fingerprint, import_id, now() + keep_days * interval '1 day' from ${rows}
  on conflict (organization_id, key) do update set
    fingerprint = case when known.expires_at < now() then excluded.fingerprint else known.fingerprint end,
    import_id = case when known.expires_at < now() then excluded.import_id else known.import_id end,
    answer = case when known.expires_at < now() then null else known.answer end,
    expires_at = case when known.expires_at < now() then excluded.expires_at else known.expires_at end
  returning organization_id, key, import_id, fingerprint, answer`;
}

const CLAIM = `
  with claim as (${claimKeys(`(select :organizationId::uuid as organization_id, :key::text as key,
    :fingerprint::bytea as fingerprint, null::uuid as import_id, :keepDays::int as keep_days) as one`)})
  select fingerprint, answer, ${requireAuthority(':authority::jsonb')} as is_authorized from claim`;

/** What a claim finds: the request is new, was answered like this, or is another than the key stands for. */
export type ClaimResult = 'new' | 'mismatch' | KeptAnswer;

/** Claims a key for a request that this transaction answers, with `keepAnswer`. */
export async function claimKey(
  transaction: Database,
  claim: IdempotencyClaim & Claimant,
): Promise<ClaimResult> {
  const known = await onlyRow<ClaimedKey>(transaction, CLAIM, { ...claim });
  if (!known.fingerprint.equals(claim.fingerprint)) return 'mismatch';
  return known.answer ?? 'new';
}

/** Keeps the answer to the request that has claimed the key. */
export async function keepAnswer(
  transaction: Database,
  { organizationId, key }: IdempotencyClaim & Claimant,
  answer: KeptAnswer,
): Promise<void> {
  await transaction('idempotency_keys')
    .where({ organizationId, key })
    .update({ answer: JSON.stringify(answer) });
}

/** Whether a key stands for a request already. */
export async function isClaimed(database: Database, organizationId: string, key: string): Promise<boolean> {
  const found = await database('idempotency_keys')
    .where({ organizationId, key })
    .where('expiresAt', '>=', database.fn.now())
    .first<{ key: string } | undefined>('key');
  return found !== undefined;
}
