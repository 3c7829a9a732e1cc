import type { Database } from '../database.ts';
import type { ChangeSubject, ChangeType } from './change-types.ts';

/** What a change has of a row, as SQL expressions; by default the row's module and organization. */
interface ChangeColumns {
  /** `null`: every module that the organization has installed when the change is committed. */
  readonly moduleId?: string;
  /** `null`: the change concerns no single farmer. */
  readonly organizationId?: string;
  /** A JSON object, or its members; absent: an empty one. */
  readonly subject?: string | Readonly<Partial<Record<keyof ChangeSubject, string>>>;
}

/**
 * The SQL that records a change for each row of `from`, a part of the same statement which returns what was changed: so
 * neither is stored without the other. Its type is an SQL expression too. Every change that modules receive is recorded
 * by it. What changes must be locked before, as the rows that a statement has written are: then two changes of one thing
 * are recorded in the order of their commits.
 */
export function changesInsert(
  type: string,
  from: string,
  { moduleId = 'module_id', organizationId = 'organization_id', subject = {} }: ChangeColumns = {},
): string {
  const json = typeof subject === 'string' ? subject : objectOf(subject);
  return `insert into outbox (type, module_id, organization_id, subject)
    select ${type}, ${moduleId}::uuid, ${organizationId}::uuid, ${json}::jsonb from ${from}`;
}

/** The SQL of a JSON object with these expressions as members. */
export function objectOf(members: Readonly<Record<string, string>>): string {
  const list = Object.entries(members).map(([name, value]) => `'${name}', ${value}`);
  return `jsonb_build_object(${list.join(', ')})`;
}

/** The SQL that records that a module reads other things of the organizations of these installations than before. */
export function installationsChanged(from: string): string {
  return changesInsert("'installation.changed'", from, {
    subject: { acceptedDataAreaIds: 'accepted_data_area_ids' },
  });
}

/** A change of something that concerns a module, all modules of an organization, or both. */
export interface Change {
  readonly type: ChangeType;
  readonly moduleId?: string;
  readonly organizationId?: string;
  readonly subject?: ChangeSubject;
}

const RECORD = changesInsert(':type', '(select) as one', {
  moduleId: ':moduleId',
  organizationId: ':organizationId',
  subject: ':subject',
});

/** Records a change, in the transaction that makes it and after it has written what changes. */
export async function recordChange(transaction: Database, change: Change): Promise<void> {
  const { type, moduleId = null, organizationId = null, subject = {} } = change;
  await transaction.raw(RECORD, { type, moduleId, organizationId, subject: JSON.stringify(subject) });
}
