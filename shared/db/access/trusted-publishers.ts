import { isSuspended } from './suspension-state.ts';
import { randomUUID } from 'node:crypto';
import { canonicalJson } from '../../package/text/canonical-json.ts';
import { writeAudit, type Actor } from './audit-log.ts';
import type { Database } from '../database.ts';
import { lockOwnModule, ownModule, type ModuleKey } from '../modules/models.ts';

/** An entry in the audit log has two whole lists. */
const MAX_DESCRIBED_LENGTH = 1_000;

/** A claim's value. A number is an integer that JSON carries exactly. */
export type ClaimValue = string | number | boolean;

/** A publisher whose tokens may import a module: of an issuer, for an audience, with these claims. */
export interface TrustedPublisher {
  readonly issuer: string;
  readonly audience: string;
  readonly claims: Readonly<Record<string, ClaimValue>>;
}

/** A publisher of a module that exists, as a token is compared with it. */
export interface RegisteredPublisher extends TrustedPublisher, ModuleKey {
  readonly id: string;
}

/**
 * Replaces a module's list of publishers; false where the organization has no such module. A change ends the access
 * tokens of all of them, because they end with their publishers' rows. The same list changes nothing.
 */
export async function putTrustedPublishers(
  database: Database,
  module: ModuleKey,
  publishers: readonly TrustedPublisher[],
  actor: Actor,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    // The module's row serialises changes of its list, and its deletion.
    if (!(await lockOwnModule(transaction, module))) return false;
    const before = await publishersOf(transaction, module);
    if (canonicalJson(before) === canonicalJson(publishers)) return true;
    // With their access tokens.
    await ofModule(transaction, module).delete();
    const rows = publishers.map(({ issuer, audience, claims }, position) => ({
      ...{ id: randomUUID(), ...module, position, issuer, audience, createdBy: actor.subject },
      claims: JSON.stringify(claims),
    }));
    if (rows.length > 0) await transaction('trusted_publishers').insert(rows);
    await writeAudit(transaction, actor, {
      ...module,
      action: 'trustedPublishers.changed',
      details: { before: before.map(describePublisher), after: publishers.map(describePublisher) },
    });
    return true;
  });
}

/** A module's publishers, in the order of the vendor's list; null where the organization has no such module. */
export async function listTrustedPublishers(database: Database, module: ModuleKey) {
  const owned = await ownModule(database, module);
  return owned === undefined ? null : publishersOf(database, module);
}

/** The publishers of a module with this issuer, of whatever organization; none of a deleted module. */
export async function findTrustedPublishers(
  database: Database,
  moduleId: string,
  issuer: string,
): Promise<readonly RegisteredPublisher[]> {
  return database('trusted_publishers as p')
    .join('modules as m', 'm.id', 'p.moduleId')
    .where({ 'p.moduleId': moduleId, 'p.issuer': issuer })
    .whereNull('m.deletedAt')
    .whereRaw(`not ${isSuspended('p.organization_id')}`)
    .orderBy('p.position')
    .select<RegisteredPublisher[]>('p.*');
}

async function publishersOf(database: Database, module: ModuleKey): Promise<readonly TrustedPublisher[]> {
  return ofModule(database, module)
    .orderBy('position')
    .select<TrustedPublisher[]>('issuer', 'audience', 'claims');
}

/** A publisher in one line, for the audit log: of claims as long as they may be, its beginning. */
function describePublisher({ issuer, audience, claims }: TrustedPublisher): string {
  const text = canonicalJson({ issuer, audience, claims });
  return text.length > MAX_DESCRIBED_LENGTH ? `${text.slice(0, MAX_DESCRIBED_LENGTH).toWellFormed()}…` : text;
}

function ofModule(database: Database, module: ModuleKey) {
  return database('trusted_publishers').where({ ...module });
}
