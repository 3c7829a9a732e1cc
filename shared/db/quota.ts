import type { Actor } from './access/audit-log.ts';
import type { Database } from './database.ts';

/** The owner that adds something, and the most that there may be of it. */
export interface AddingActor extends Actor {
  readonly max: number;
}

/** An organization keeps as much as it may: the change is not made. */
export class QuotaExceededError extends Error {
  override readonly name = 'QuotaExceededError';
  /** The name of the exceeded quota and its owner, in words for people. */
  readonly what: string;
  readonly max: number;

  constructor(what: string, max: number) {
    super(`more than ${max} ${what}`);
    this.what = what;
    this.max = max;
  }
}

/** @throws QuotaExceededError where there is more than the most */
export function requireWithin(count: number, max: number, what: string): void {
  if (count > max) throw new QuotaExceededError(what, max);
}

/**
 * Locks an organization until the transaction ends, so that of two changes at once each counts what the other made. Rows
 * that refer to the organization can be written meanwhile.
 */
export async function lockOrganization(transaction: Database, organizationId: string): Promise<void> {
  await transaction.raw('select from organizations where id = :organizationId for no key update', {
    organizationId,
  });
}

/** @throws QuotaExceededError where one more row with these values would exceed the most; what they depend on is locked. */
export async function requireRoom(
  transaction: Database,
  table: string,
  where: Readonly<Record<string, string>>,
  max: number,
  what: string,
): Promise<void> {
  requireWithin((await countRows(transaction, table, where)) + 1, max, what);
}

/** The number of rows of a table with these values. */
export async function countRows(
  transaction: Database,
  table: string,
  where: Readonly<Record<string, string | null>>,
): Promise<number> {
  const [row] = await transaction(table).where(where).count<{ n: number }[]>({ n: '*' });
  return row?.n ?? 0;
}
