import type { Database } from '../database.ts';

/** A client's key and the SHA-256 of its request. */
export interface IdempotencyClaim {
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly keepDays: number;
}

/** The import that a key is tied to, and the fingerprint of its request. */
export interface ClaimedKey {
  readonly importId: string;
  readonly fingerprint: Buffer;
}

/**
 * The part of an import's insert that ties a key to the import, unless it is tied already. The second of two
 * concurrent claims waits for the first's commit, so that there is one winner.
 */
export const CLAIM = `
  insert into idempotency_keys as known (organization_id, key, fingerprint, import_id, expires_at)
  values (:organizationId::uuid, :key, :fingerprint::bytea, :id::uuid, now() + :keepDays * interval '1 day')
  on conflict (organization_id, key) do update set
    fingerprint = case when known.expires_at < now() then excluded.fingerprint else known.fingerprint end,
    import_id = case when known.expires_at < now() then excluded.import_id else known.import_id end,
    expires_at = case when known.expires_at < now() then excluded.expires_at else known.expires_at end
  returning import_id, fingerprint`;

/** Whether a key stands for an import already. */
export async function isClaimed(database: Database, organizationId: string, key: string): Promise<boolean> {
  const found = await database('idempotency_keys')
    .where({ organizationId, key })
    .where('expiresAt', '>=', database.fn.now())
    .first<{ importId: string } | undefined>('importId');
  return found !== undefined;
}
