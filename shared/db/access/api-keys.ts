import { randomUUID } from 'node:crypto';
import type { NewApiKey } from './api-key.ts';
import { writeAudit, type Actor } from './audit-log.ts';
import type { Database } from '../database.ts';
import { keysetPage, type PageRequest } from '../keyset-page.ts';
import { ApiKeyModel } from './models.ts';
import { quarantineReason } from '../modules/quarantine-state.ts';
import { suspensionReason } from './suspension-state.ts';
import { lockOwnModule, type ModuleKey } from '../modules/models.ts';
import { requireRoom, type AddingActor } from '../quota.ts';
import { onlyRow, queryRow } from '../statement.ts';
import { changesInsert } from '../changes/record-changes.ts';
import { changeInBatches, nextOf } from '../in-batches.ts';

/** What a key grants: the calls of its module. */
export interface ApiKeyGrant extends Readonly<
  Pick<ApiKeyModel, 'id' | 'clientId' | 'moduleId' | 'organizationId' | 'expiresAt'>
> {
  /** Why its module is in quarantine; null: it is not. */
  readonly quarantineReason: string | null;
  /** Why its organization is suspended; null: it is not. */
  readonly suspensionReason: string | null;
}

export interface ApiClientKey extends ModuleKey {
  readonly clientId: string;
}

export interface NewApiClient {
  /** Null: `ApiKey_` and the client's ID. */
  readonly clientName: string | null;
  readonly expiresAt: Date;
}

/** Registers an API client with its first key; null where the organization has no such module. */
export async function registerApiClient(
  database: Database,
  module: ModuleKey,
  { clientName, expiresAt }: NewApiClient,
  key: NewApiKey,
  actor: AddingActor,
): Promise<ApiKeyModel | null> {
  return database.transaction(async (transaction) => {
    if (!(await lockOwnModule(transaction, module))) return null;
    const clientId = randomUUID();
    const row = await insertKey(transaction, actor.max, key, {
      ...module,
      clientId,
      clientName: clientName ?? `ApiKey_${clientId}`,
      expiresAt,
    });
    await writeAudit(transaction, actor, {
      ...{ ...module, clientId, targetName: row.clientName },
      action: 'apiClient.registered',
    });
    return row;
  });
}

/**
 * Makes a new key for a client; its old keys work for `overlapSeconds` more. Null where the organization
 * has no such client, or has revoked it.
 */
export async function rotateApiClient(
  database: Database,
  client: ApiClientKey,
  { overlapSeconds, expiresAt }: { readonly overlapSeconds: number; readonly expiresAt: Date },
  key: NewApiKey,
  actor: AddingActor,
): Promise<ApiKeyModel | null> {
  return database.transaction(async (transaction) => {
    // The module's row serialises rotations and revocations of its clients.
    if (!(await lockOwnModule(transaction, client))) return null;
    const [latest] = await ApiKeyModel.query(transaction)
      .where(client)
      .whereNull('revokedAt')
      .orderBy('createdAt', 'desc')
      .limit(1);
    if (latest === undefined) return null;
    await ApiKeyModel.query(transaction)
      .where(client)
      .patch({
        expiresAt: transaction.raw("least(expires_at, now() + :overlapSeconds * interval '1 second')", {
          overlapSeconds,
        }),
      });
    const row = await insertKey(transaction, actor.max, key, {
      ...client,
      clientName: latest.clientName,
      expiresAt,
    });
    await writeAudit(transaction, actor, {
      ...{ ...client, targetName: latest.clientName },
      action: 'apiClient.rotated',
    });
    return row;
  });
}

/** Revokes every key of a client. False where the organization has no such client; a second call changes nothing. */
export async function revokeApiClient(
  database: Database,
  client: ApiClientKey,
  actor: Actor,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await lockOwnModule(transaction, client);
    const known = await ApiKeyModel.query(transaction).where(client).first();
    if (known === undefined) return false;
    const revoked = await ApiKeyModel.query(transaction)
      .where(client)
      .whereNull('revokedAt')
      .patch({ revokedAt: transaction.raw('now()') });
    if (revoked > 0)
      await writeAudit(transaction, actor, {
        ...{ ...client, targetName: known.clientName },
        action: 'apiClient.revoked',
      });
    return true;
  });
}

export async function endKeysOfModule(transaction: Database, module: ModuleKey): Promise<void> {
  await ApiKeyModel.query(transaction)
    .where(module)
    .whereNull('revokedAt')
    .patch({ revokedAt: transaction.raw('now()') });
}

export async function listApiKeys(database: Database, module: ModuleKey, page: PageRequest) {
  return keysetPage(ApiKeyModel.query(database).where(module), page);
}

/** The grant of a key, by its hash, also of an expired one; null when it is unknown or revoked. Both cost the same. */
export async function findApiKey(database: Database, sha256: Buffer): Promise<ApiKeyGrant | null> {
  return queryRow<ApiKeyGrant>(
    database,
    `select k.id, k.client_id, k.module_id, k.organization_id, k.expires_at, ${quarantineReason('m')} as quarantine_reason,
       ${suspensionReason('k.organization_id')} as suspension_reason
     from api_keys k join modules m on m.id = k.module_id
     where k.secret_sha256 = :sha256 and k.revoked_at is null`,
    { sha256 },
  );
}

// In the order of the key: two processes that note the same keys wait for each other, and never in a circle.
const NOTE_USES = `
  with locked as (select id from api_keys where id = any(:ids::uuid[]) order by id for no key update)
  update api_keys set last_used_at = greatest(last_used_at, uses.at)
  from locked join unnest(:ids::uuid[], :times::timestamptz[]) as uses (id, at) using (id)
  where api_keys.id = locked.id`;

/** Records when keys were last used: one statement for many. */
export async function noteKeyUses(database: Database, lastUses: ReadonlyMap<string, Date>): Promise<void> {
  await database.raw(NOTE_USES, {
    ids: [...lastUses.keys()],
    times: [...lastUses.values()],
  });
}

async function insertKey(
  transaction: Database,
  max: number,
  { sha256, start }: NewApiKey,
  {
    clientId,
    organizationId,
    moduleId,
    clientName,
    expiresAt,
  }: ApiClientKey & { clientName: string; expiresAt: Date },
): Promise<ApiKeyModel> {
  // The module's row is locked.
  const what = 'API keys of the module, and revoked and expired ones count for 90 days';
  await requireRoom(transaction, 'api_keys', { organizationId, moduleId }, max, what);
  return ApiKeyModel.query(transaction)
    .insert({
      id: randomUUID(),
      clientId,
      organizationId,
      moduleId,
      clientName,
      expiresAt,
      secretSha256: sha256,
      secretStart: start,
    })
    .returning('*');
}

/** The module is notified this number of days before a key expires. */
const NOTICE_DAYS = 14;

// A key that a rotation has replaced expires as its vendor wants it.
const IS_REPLACED = `exists (
  select from api_keys newer
  where newer.client_id = k.client_id and newer.created_at > k.created_at and newer.revoked_at is null)`;

const REPORT = `
  with reported as (
    update api_keys set expiry_reported_at = now() where ${nextOf(
      'api_keys k',
      `revoked_at is null and expiry_reported_at is null
        and expires_at > now() and expires_at < now() + ${NOTICE_DAYS} * interval '1 day'
        and not ${IS_REPLACED}`,
    )}
    returning module_id, client_id, id
  )
  ${changesInsert("'key.expiring'", 'reported', {
    organizationId: 'null',
    subject: { clientId: 'client_id', keyId: 'id' },
  })}`;

/** Records the change of each key that expires soon, once. */
export async function reportExpiringKeys(database: Database): Promise<number> {
  return changeInBatches(database, REPORT);
}

/** Operators are warned of keys in use this number of days before they expire. */
const WARNING_DAYS = 3;
/** A key that was used within this number of days is in use. */
const IN_USE_DAYS = 7;

const COUNT_EXPIRING = `
  select count(*)::int as count from api_keys k
  where revoked_at is null
    and least(revoked_at, expires_at) between now() and now() + ${WARNING_DAYS} * interval '1 day'
    and last_used_at > now() - ${IN_USE_DAYS} * interval '1 day' and not ${IS_REPLACED}`;

/** Number of keys in use that expire soon and have no successor. */
export async function countExpiringKeys(database: Database): Promise<number> {
  return (await onlyRow<{ count: number }>(database, COUNT_EXPIRING)).count;
}
