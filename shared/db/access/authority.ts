import type { Database } from '../database.ts';
import { onlyRow, queryRow } from '../statement.ts';
import type { Role } from './role.ts';

/**
 * The authority on which something is done. Each effect checks it in the transaction that makes it, since a request or an
 * import may wait for hours. A withdrawal ends it: of the membership, the role, the group, the publisher or the key. So
 * does the deletion of the organization, and for a key the quarantine of its module. A suspension of the organization
 * interrupts it.
 * The expiry of a credential does not: it was valid when the request came in.
 */
export type Authority =
  /**
   * The claims of the issuer's token, an operator's command or the service itself: nobody withdraws these here. In an
   * organization they end with it, and wait while it is suspended.
   */
  | { readonly kind: 'token'; readonly organizationId?: string }
  /** An operator in an organization: suspended or not, until it is deleted. */
  | { readonly kind: 'operator'; readonly organizationId: string }
  /** Memberships that are kept here: the person must still have the role, or be an administrator. */
  | {
      readonly kind: 'member';
      readonly organizationId: string;
      readonly issuer: string;
      readonly subject: string;
      readonly groups: readonly string[];
      readonly role: Role;
    }
  | { readonly kind: 'publisher'; readonly publisherId: string }
  | { readonly kind: 'apiKey'; readonly keyId: string };

/** What nobody can withdraw here. */
export const OF_TOKEN: Authority = { kind: 'token' };

/** That of a module's back end. */
export function authorityOfKey({ id }: { readonly id: string }): Authority {
  return { kind: 'apiKey', keyId: id };
}

/** The SQLSTATE of `require_authority`. */
const AUTHORITY_ENDED = 'MI001';

/** The SQL of whether an authority has not been withdrawn; a suspension may interrupt it. */
export function authorityGranted(authority: string): string {
  return `authority_granted(${authority})`;
}

/** The SQL of whether an authority has not been withdrawn, and no suspension interrupts it. */
export function authorityHolds(authority: string): string {
  return `authority_holds(${authority})`;
}

/** The condition that it holds, which fails the statement, and so undoes its transaction. */
export function requireAuthority(authority: string): string {
  return `require_authority(${authority})`;
}

/** Why an authority does not hold: its organization is suspended for now, or it was withdrawn for good; null: it holds. */
export async function lostBy(
  database: Database,
  authority: Authority,
): Promise<'suspension' | 'withdrawal' | null> {
  const statement = `select ${authorityHolds(':authority::jsonb')} as holds, authority_suspended(:authority::jsonb) as suspended`;
  const found = await onlyRow<{ holds: boolean; suspended: boolean }>(database, statement, { authority });
  if (found.holds) return null;
  return found.suspended ? 'suspension' : 'withdrawal';
}

/** Whether an authority has not been withdrawn, and its organization is not suspended. */
export async function holds(database: Database, authority: Authority): Promise<boolean> {
  const statement = `select ${authorityHolds(':authority::jsonb')} as holds`;
  return (await queryRow<{ holds: boolean }>(database, statement, { authority }))?.holds === true;
}

/** An error because the authority for a transaction was withdrawn; `detail` is its kind, `quarantinedKey` or `suspended`. */
export interface AuthorityEnded extends Error {
  readonly detail: string;
}

/** Whether a transaction was undone because the authority for it was withdrawn. */
export function isAuthorityEnded(error: unknown): error is AuthorityEnded {
  return error instanceof Error && 'code' in error && error.code === AUTHORITY_ENDED;
}
