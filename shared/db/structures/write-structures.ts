import type { IssueList } from '../../structures/issue-list.ts';
import type { FlatStructure } from '../../structures/flat-structure.ts';
import { validateStructures, referencedIds } from '../../structures/validate-structures.ts';
import type { KnownStructure, StructureLocation } from '../../structures/validate-structures.ts';
import { mergeStructure } from '../../structures/merge-structure.ts';
import type { MergedStructure, StoredStructure } from '../../structures/merge-structure.ts';
import type { Database } from '../database.ts';

/** What a write did with the structures that it named. */
export interface WrittenStructures {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** A stored structure as validation needs it, with its size in the table. */
interface KnownRow extends KnownStructure {
  readonly id: string;
  /** Characters of its JSON. */
  readonly bytes: number;
}

/** What a write changed in the table. */
interface Change {
  readonly created: number;
  readonly updated: number;
  readonly bytes: number;
}

/** The most that is read and merged at once; stored structures may be far larger than the body that names them. */
const MAX_ROWS = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Creates and updates structures of an organization, all or none: null, and nothing is stored, when `issues`
 * has any, or validation adds one.
 */
export async function writeStructures(
  database: Database,
  organizationId: string,
  structures: readonly FlatStructure[],
  issues: IssueList,
): Promise<WrittenStructures | null> {
  return database.transaction(async (transaction) => {
    await lockSet(transaction, organizationId);
    const known = await findKnown(transaction, organizationId, referencedIds(structures));
    const locations = validateStructures(structures, known, issues);
    if (issues.total > 0) return null;
    const now = new Date();
    const changes: Change[] = [];
    for (const batch of batches(structures, known)) {
      const ids = batch.map((each) => each.id).filter((id) => known.has(id));
      const stored = await findStored(transaction, organizationId, ids);
      const merged = mergeBatch(batch, stored, locations, now);
      if (merged.length > 0) changes.push(await upsert(transaction, organizationId, merged, known));
    }
    const created = changes.reduce((sum, each) => sum + each.created, 0);
    const updated = changes.reduce((sum, each) => sum + each.updated, 0);
    const bytes = changes.reduce((sum, each) => sum + each.bytes, 0);
    if (changes.length > 0) await countChange(transaction, organizationId, created, bytes);
    return { created, updated, unchanged: structures.length - created - updated };
  });
}

/** Deletes every structure of an organization; the version still increases, so that no old ETag is valid again. */
export async function eraseStructures(database: Database, organizationId: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockSet(transaction, organizationId);
    const erased = await transaction('structures').where({ organizationId }).delete();
    if (erased === 0) return;
    await transaction('structure_sets')
      .where({ organizationId })
      .update({
        version: transaction.raw('version + 1'),
        structures: 0,
        bytes: 0,
        updatedAt: transaction.fn.now(),
      });
  });
}

/** Serialises the writers of one organization, so that each validates against what the previous one stored. */
async function lockSet(transaction: Database, organizationId: string): Promise<void> {
  await transaction('structure_sets')
    .insert({ organizationId, version: 0, structures: 0, bytes: 0 })
    .onConflict('organizationId')
    .ignore();
  await transaction('structure_sets').where({ organizationId }).forUpdate().select('organizationId');
}

async function findKnown(
  transaction: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KnownRow>> {
  const result = await transaction.raw<{ rows: KnownRow[] }>(
    `select id, kind, farm_id, field_id, length(members) + coalesce(length(geometry), 0) as bytes
     from structures where organization_id = ? and id = any(?::uuid[])`,
    [organizationId, [...ids]],
  );
  return new Map(result.rows.map((row) => [row.id, row]));
}

function* batches(
  structures: readonly FlatStructure[],
  known: ReadonlyMap<string, KnownRow>,
): Generator<readonly FlatStructure[]> {
  let batch: FlatStructure[] = [];
  let bytes = 0;
  for (const structure of structures) {
    batch.push(structure);
    bytes += known.get(structure.id)?.bytes ?? 0;
    if (batch.length < MAX_ROWS && bytes < MAX_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

async function findStored(
  transaction: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredStructure>> {
  if (ids.length === 0) return new Map();
  const result = await transaction.raw<{ rows: StoredStructure[] }>(
    `select id, kind, farm_id, field_id, members, geometry
     from structures where organization_id = ? and id = any(?::uuid[])`,
    [organizationId, [...ids]],
  );
  return new Map(result.rows.map((row) => [row.id, row]));
}

function mergeBatch(
  batch: readonly FlatStructure[],
  stored: ReadonlyMap<string, StoredStructure>,
  locations: ReadonlyMap<string, StructureLocation>,
  now: Date,
): readonly MergedStructure[] {
  return batch.flatMap((structure) => {
    const location = locations.get(structure.id);
    if (location === undefined) throw new Error('a structure without issues has no location');
    return mergeStructure(structure, stored.get(structure.id), location, now) ?? [];
  });
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
  select sum(bytes) as bytes from written`;

async function upsert(
  transaction: Database,
  organizationId: string,
  merged: readonly MergedStructure[],
  known: ReadonlyMap<string, KnownRow>,
): Promise<Change> {
  const orders = merged.map(orderOf);
  const result = await transaction.raw<{ rows: [{ bytes: number }] }>(UPSERT, {
    organizationId,
    ids: merged.map((each) => each.id),
    kinds: merged.map((each) => each.kind),
    statuses: merged.map((each) => each.status),
    farmIds: merged.map((each) => each.farmId),
    fieldIds: merged.map((each) => each.fieldId),
    sections: orders.map((each) => each.section),
    branchIds: orders.map((each) => each.branchId),
    levels: orders.map((each) => each.level),
    members: merged.map((each) => each.members),
    geometries: merged.map((each) => each.geometry),
  });
  const updated = merged.flatMap((each) => known.get(each.id) ?? []);
  const bytesBefore = updated.reduce((sum, each) => sum + each.bytes, 0);
  return {
    created: merged.length - updated.length,
    updated: updated.length,
    bytes: result.rows[0].bytes - bytesBefore,
  };
}

/** The position of a structure in its farm; the table's migration explains the order of answers. */
function orderOf({ kind, id, fieldId }: MergedStructure) {
  switch (kind) {
    case 'farm':
      return { section: 0, branchId: id, level: 0 };
    case 'field':
      return { section: 1, branchId: id, level: 0 };
    case 'block':
      return { section: 1, branchId: fieldId, level: 1 };
    case 'irrigationStation':
      return { section: 2, branchId: id, level: 0 };
  }
}

async function countChange(
  transaction: Database,
  organizationId: string,
  structures: number,
  bytes: number,
): Promise<void> {
  await transaction.raw(
    `update structure_sets
     set version = version + 1, structures = structures + ?, bytes = bytes + ?, updated_at = now()
     where organization_id = ?`,
    [structures, bytes, organizationId],
  );
}
