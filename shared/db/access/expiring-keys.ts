import { changesInsert } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { changeInBatches } from '../in-batches.ts';

/** So many days before a key expires, its module is notified. */
const NOTICE_DAYS = 14;

// A key that a rotation has replaced expires as its vendor wants it.
const REPORT = `
  with reported as (
    update api_keys set expiry_reported_at = now() where ctid = any(array(
      select ctid from api_keys k
      where revoked_at is null and expiry_reported_at is null
        and expires_at > now() and expires_at < now() + ${NOTICE_DAYS} * interval '1 day'
        and not exists (
          select from api_keys newer
          where newer.client_id = k.client_id and newer.created_at > k.created_at and newer.revoked_at is null)
      limit :limit for update skip locked))
    returning module_id, client_id, id
  )
  ${changesInsert(
    {
      type: "'key.expiring'",
      moduleId: 'module_id',
      subject: "jsonb_build_object('clientId', client_id, 'keyId', id)",
    },
    'reported',
  )}`;

/** Records the change of each key that expires soon, once. */
export async function reportExpiringKeys(database: Database): Promise<number> {
  return changeInBatches(database, REPORT);
}
