import type { Database } from '../database.ts';
import type { ChangeSubject, ChangeType } from './change-types.ts';

/** A change as SQL expressions, for a statement that also makes it. */
interface ChangeColumns {
  /** Of a `ChangeType`. */
  readonly type: string;
  /** Absent: every module that the organization has installed when the change is committed. */
  readonly moduleId?: string;
  /** Absent: the change concerns no single farmer. */
  readonly organizationId?: string;
  /** A JSON object; absent: an empty one. */
  readonly subject?: string;
}

/**
 * The SQL that records a change for each row of `from`, a part of the same statement which returns what was changed: so
 * neither is stored without the other. Every change that modules receive is recorded by it. What changes must be
 * locked before, as the rows that a statement has written are: then two changes of one thing are recorded in the
 * order of their commits.
 */
export function changesInsert(
  { type, moduleId = 'null', organizationId = 'null', subject = "'{}'" }: ChangeColumns,
  from: string,
): string {
  return `insert into outbox (type, module_id, organization_id, subject)
    select ${type}, ${moduleId}::uuid, ${organizationId}::uuid, ${subject}::jsonb from ${from}`;
}

/** A change of something that concerns a module, all modules of an organization, or both. */
export interface Change {
  readonly type: ChangeType;
  readonly moduleId?: string;
  readonly organizationId?: string;
  readonly subject?: ChangeSubject;
}

const RECORD = changesInsert(
  {
    type: ':type',
    moduleId: ':moduleId',
    organizationId: ':organizationId',
    subject: ':subject',
  },
  '(select) as one',
);

/** Records a change, in the transaction that makes it and after it has written what changes. */
export async function recordChange(transaction: Database, change: Change): Promise<void> {
  const { type, moduleId = null, organizationId = null, subject = {} } = change;
  await transaction.raw(RECORD, { type, moduleId, organizationId, subject: JSON.stringify(subject) });
}
