import type { Database } from '../database.ts';

/** A client's key and the SHA-256 of its request. */
export interface IdempotencyClaim {
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly keepDays: number;
}

/** Whether a key is now the import's, was an earlier one's of the same upload, or of another upload. */
export type ClaimedKey =
  | { readonly kind: 'created' }
  | { readonly kind: 'repeated'; readonly importId: string }
  | { readonly kind: 'mismatch' };

/**
 * Ties a key to an import, unless it is tied already. The second of two concurrent claims waits for the
 * first's commit, so that there is one winner.
 */
export async function claimIdempotencyKey(
  transaction: Database,
  row: { readonly id: string; readonly organizationId: string },
  claim: IdempotencyClaim,
): Promise<ClaimedKey> {
  const result = await transaction.raw<{ rows: { importId: string; fingerprint: Buffer }[] }>(
    `insert into idempotency_keys as known (organization_id, key, fingerprint, import_id, expires_at)
     values (:organizationId, :key, :fingerprint, :importId, now() + :keepDays * interval '1 day')
     on conflict (organization_id, key) do update set
       fingerprint = case when known.expires_at < now() then excluded.fingerprint else known.fingerprint end,
       import_id = case when known.expires_at < now() then excluded.import_id else known.import_id end,
       expires_at = case when known.expires_at < now() then excluded.expires_at else known.expires_at end
     returning import_id, fingerprint`,
    {
      organizationId: row.organizationId,
      key: claim.key,
      fingerprint: claim.fingerprint,
      importId: row.id,
      keepDays: claim.keepDays,
    },
  );
  const known = result.rows[0];
  if (known === undefined || known.importId === row.id) return { kind: 'created' };
  return known.fingerprint.equals(claim.fingerprint)
    ? { kind: 'repeated', importId: known.importId }
    : { kind: 'mismatch' };
}

/** Deletes expired keys. */
export async function dropExpiredKeys(database: Database): Promise<void> {
  await database('idempotency_keys').where('expiresAt', '<', database.raw('now()')).delete();
}
