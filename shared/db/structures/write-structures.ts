import type { StoredStructure } from '../../structures/merge-structure.ts';
import type { ChangeStep, FoundStructures, SizedStructure } from '../../structures/structure-change.ts';
import { auditInsert, type Actor } from '../access/audit-log.ts';
import type { ChangeSubject, ChangeType } from '../changes/change-types.ts';
import { changesInsert } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import type { AuditAction, AuditDetails } from '../access/models.ts';
import { requireWithin, type AddingActor } from '../quota.ts';
import { IDLE_DURING_TASKS_MS } from '../session-options.ts';
import type { StructureColumns } from './structure-columns.ts';
import { onlyRow, queryRows } from '../statement.ts';

/** The effect of a write on the structures that it named. */
export interface WrittenStructures {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

export interface StructurePiece {
  readonly columns: StructureColumns;
  readonly updated: number;
  readonly bytesBefore: number;
}

/** A step of a change of structures, in the form of the statement's parameters. */
export type WriteStep = ChangeStep<StructurePiece>;

/** The changes of a write in the table. */
interface Change {
  created: number;
  updated: number;
  bytes: number;
  /** The size of the largest structure that was written. */
  largestBytes: number;
  readonly kinds: Set<string>;
  /** The first of the structures that were written. */
  readonly firstIds: string[];
}

/** The most structures that a change names; after a larger one, modules read all structures again. */
const NAMED_STRUCTURES = 100;

/** Throws if the structures, which only this transaction can change now, are not those that the caller expects. */
export type RequireExpected = (transaction: Database) => Promise<void>;

/** The caller changes the structures as they are. */
export const AS_THEY_ARE: RequireExpected = () => Promise.resolve();

/**
 * Creates and updates structures of an organization, all or none: null, and nothing is stored, where validation
 * finds an issue. `next` returns the steps of the change, wherever its structures are; null: from the first one.
 * @throws QuotaExceededError
 */
export async function writeStructures(
  database: Database,
  organizationId: string,
  next: (found: FoundStructures | null) => Promise<WriteStep | null>,
  actor: AddingActor,
  requireExpected: RequireExpected,
): Promise<WrittenStructures | null> {
  return database.transaction(async (transaction) => {
    const { structures: stored } = await lockSet(transaction, organizationId);
    await requireExpected(transaction);
    const change: Change = {
      ...{ created: 0, updated: 0, bytes: 0, largestBytes: 0 },
      ...{ kinds: new Set(), firstIds: [] },
    };
    let size: number | null = null;
    let found: FoundStructures = {};
    for (let step = await next(null); step !== null; step = await next(found)) {
      found = {};
      if (step.needs === 'known') found = { known: await findKnown(transaction, organizationId, step.ids) };
      else if (step.needs === 'stored')
        found = { stored: await findStored(transaction, organizationId, step.ids) };
      else if (step.needs === 'write') await writePiece(transaction, organizationId, step.piece, change);
      else {
        size = step.size;
        if (step.added > 0) requireWithin(stored + step.added, actor.max, 'structures in the organization');
      }
    }
    if (size === null) return null;
    const { created, updated } = change;
    if (created + updated > 0) await recordWritten(transaction, organizationId, change, actor);
    return { created, updated, unchanged: size - created - updated };
  });
}

async function writePiece(
  transaction: Database,
  organizationId: string,
  { columns, updated, bytesBefore }: StructurePiece,
  change: Change,
): Promise<void> {
  const { bytes, largestBytes } = await upsert(transaction, organizationId, columns);
  change.created += columns.ids.length - updated;
  change.updated += updated;
  change.bytes += bytes - bytesBefore;
  change.largestBytes = Math.max(change.largestBytes, largestBytes);
  for (const kind of columns.kinds) change.kinds.add(kind);
  change.firstIds.push(...columns.ids.slice(0, NAMED_STRUCTURES - change.firstIds.length));
}

async function recordWritten(
  transaction: Database,
  organizationId: string,
  { created, updated, bytes, largestBytes, kinds, firstIds }: Change,
  actor: Actor,
): Promise<void> {
  const structureIds = created + updated > NAMED_STRUCTURES ? null : firstIds;
  await countChange(transaction, organizationId, actor, {
    action: 'structures.written',
    type: 'structures.changed',
    subject: { kinds: [...kinds].toSorted(), structureIds },
    details: { created, updated },
    structures: created,
    bytes,
    largestBytes,
  });
}

/** Deletes every structure of an organization; the version still increases, so that no old ETag is valid again. */
export async function eraseStructures(
  database: Database,
  organizationId: string,
  actor: Actor,
  requireExpected: RequireExpected,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const { structures, bytes } = await lockSet(transaction, organizationId);
    await requireExpected(transaction);
    const erased = await transaction('structures').where({ organizationId }).delete();
    if (erased === 0) return;
    await countChange(transaction, organizationId, actor, {
      action: 'structures.erased',
      type: 'structures.erased',
      subject: {},
      details: { structures: erased },
      structures: -structures,
      bytes: -bytes,
      largestBytes: 0,
    });
  });
}

interface StructureSet {
  readonly structures: number;
  readonly bytes: number;
}

/** For the rest of the transaction; in a statement that is sent anyway. */
const ALLOW_TASKS = `set_config('idle_in_transaction_session_timeout', '${IDLE_DURING_TASKS_MS}', true)`;

/** Serialises the writers of one organization, so that each validates against what the previous one stored. */
async function lockSet(transaction: Database, organizationId: string): Promise<StructureSet> {
  await transaction('structure_sets')
    .insert({ organizationId, version: 0, structures: 0, bytes: 0, largestBytes: 0 })
    .onConflict('organizationId')
    .ignore();
  const [set] = await transaction('structure_sets')
    .where({ organizationId })
    .forUpdate()
    .select<StructureSet[]>('structures', 'bytes', transaction.raw(ALLOW_TASKS));
  if (set === undefined) throw new Error('an organization has no set of structures');
  return set;
}

async function findKnown(transaction: Database, organizationId: string, ids: readonly string[]) {
  return queryRows<SizedStructure>(
    transaction,
    `select id, kind, farm_id, field_id, length(members) + coalesce(length(geometry), 0) as bytes
     from structures where organization_id = :organizationId and id = any(:ids::uuid[])`,
    { organizationId, ids },
  );
}

async function findStored(transaction: Database, organizationId: string, ids: readonly string[]) {
  return queryRows<StoredStructure>(
    transaction,
    `select id, kind, farm_id, field_id, members, geometry
     from structures where organization_id = :organizationId and id = any(:ids::uuid[])`,
    { organizationId, ids },
  );
}

// Kind and parents never change, so only the content of an existing row is written.
const UPSERT = `
  with written as (
    insert into structures
      (organization_id, id, kind, status, farm_id, field_id, section, branch_id, level, members, geometry)
    select :organizationId, each.* from unnest(
      :ids::uuid[], :kinds::text[], :statuses::text[], :farmIds::uuid[], :fieldIds::uuid[],
      :sections::smallint[], :branchIds::uuid[], :levels::smallint[], :members::text[], :geometries::text[]
    ) as each
    on conflict (organization_id, id) do update
      set status = excluded.status, members = excluded.members, geometry = excluded.geometry
    returning length(members) + coalesce(length(geometry), 0) as bytes
  )
  select sum(bytes) as bytes, max(bytes) as largest_bytes from written`;

/** Writes the rows and returns how many characters of JSON they have: all together, and the largest. */
async function upsert(transaction: Database, organizationId: string, columns: StructureColumns) {
  return onlyRow<{ bytes: number; largestBytes: number }>(transaction, UPSERT, {
    organizationId,
    ...columns,
  });
}

/** A change of an organization's structures, as it is counted and recorded. */
interface CountedChange extends StructureSet {
  readonly action: Extract<AuditAction, `structures.${string}`>;
  readonly details: AuditDetails;
  readonly type: Extract<ChangeType, `structures.${string}`>;
  readonly subject: ChangeSubject;
  /** The size of the largest structure that was written. */
  readonly largestBytes: number;
}

const COUNT = `
  with counted as (
    update structure_sets set version = version + 1, structures = structures + :structures, bytes = bytes + :bytes,
      largest_bytes = greatest(largest_bytes, :largestBytes), updated_by = :subject, updated_at = now()
    where organization_id = :organizationId returning organization_id
  ), recorded as (${changesInsert(':type', 'counted', { moduleId: 'null', subject: ':changed' })})
  ${auditInsert(':action', 'counted', { details: ':details' })}`;

async function countChange(
  transaction: Database,
  organizationId: string,
  actor: Actor,
  change: CountedChange,
): Promise<void> {
  await transaction.raw(COUNT, {
    ...change,
    ...actor,
    organizationId,
    details: JSON.stringify(change.details),
    changed: JSON.stringify(change.subject),
  });
}
