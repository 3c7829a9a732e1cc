import type { FlatStructure } from './flat-structure.ts';
import type { IssueList } from './issue-list.ts';
import { mergeStructure, type MergedStructure, type StoredStructure } from './merge-structure.ts';
import { referencedIds, validateStructures, type KnownStructure } from './validate-structures.ts';

/** A stored structure as validation needs it, with its size in the table. */
export interface SizedStructure extends KnownStructure {
  readonly id: string;
  /** Characters of its JSON. */
  readonly bytes: number;
}

/** Structures as they are to be stored, and which of them replace stored ones. */
export interface MergedPiece {
  readonly merged: readonly MergedStructure[];
  readonly updated: number;
  /** Characters of the JSON that they replace. */
  readonly bytesBefore: number;
}

/** What a change needs next: those of the IDs that are stored, room for new structures, or that a piece is written. */
export type ChangeStep<Piece = MergedPiece> =
  | { readonly needs: 'known'; readonly ids: readonly string[] }
  | { readonly needs: 'stored'; readonly ids: readonly string[] }
  /** All are valid: the number of structures in the body, and of those that are not stored yet. */
  | { readonly needs: 'room'; readonly size: number; readonly added: number }
  | { readonly needs: 'write'; readonly piece: Piece };

/** The rows that a step needed. */
export interface FoundStructures {
  readonly known?: readonly SizedStructure[];
  readonly stored?: readonly StoredStructure[];
}

/** IDs of one query; its rows arrive, and are read, at once. */
const MAX_IDS = 2_000;
/** The most that is merged and written at once; stored structures may be far larger than the body that names them. */
const MAX_ROWS = 1_000;
const MAX_BYTES = 1024 * 1024;

/**
 * The structures of one body on their way into the table. Each step takes and returns a bounded part, so that the
 * database's connection can be elsewhere than the structures. Where they do not fit each other or what is stored, there
 * are issues, and the steps end before the one that needs room.
 */
export function* changeSteps(
  structures: readonly FlatStructure[],
  issues: IssueList,
): Generator<ChangeStep, void, FoundStructures> {
  const now = new Date();
  const known = new Map<string, SizedStructure>();
  const ids = referencedIds(structures);
  for (let from = 0; from < ids.length; from += MAX_IDS) {
    const found = yield { needs: 'known', ids: ids.slice(from, from + MAX_IDS) };
    for (const row of found.known ?? []) known.set(row.id, row);
  }
  const locations = validateStructures(structures, known, issues);
  if (issues.total > 0) return;
  const added = structures.filter(({ id }) => !known.has(id)).length;
  yield { needs: 'room', size: structures.length, added };
  for (const batch of batchesOf(structures, ({ id }) => known.get(id)?.bytes ?? 0)) {
    const storedIds = batch.flatMap(({ id }) => (known.has(id) ? [id] : []));
    const found = storedIds.length === 0 ? {} : yield { needs: 'stored', ids: storedIds };
    const stored = new Map(found.stored?.map((row) => [row.id, row]));
    const merged = merging(batch, (structure) => {
      const location = locations.get(structure.id);
      if (location === undefined) throw new Error('a structure without issues has no location');
      return mergeStructure(structure, stored.get(structure.id), location, now);
    });
    for (const piece of batchesOf(
      merged,
      ({ members, geometry }) => members.length + (geometry?.length ?? 0),
    )) {
      const replaced = piece.flatMap(({ id }) => known.get(id) ?? []);
      const bytesBefore = replaced.reduce((sum, each) => sum + each.bytes, 0);
      yield { needs: 'write', piece: { merged: piece, updated: replaced.length, bytesBefore } };
    }
  }
}

/** Merges structures when they are needed; those that change nothing are left out. */
function* merging(
  batch: readonly FlatStructure[],
  merge: (structure: FlatStructure) => MergedStructure | null,
): Generator<MergedStructure> {
  for (const structure of batch) {
    const merged = merge(structure);
    if (merged !== null) yield merged;
  }
}

/** Items in batches of bounded number and size. */
function* batchesOf<Item>(
  items: Iterable<Item>,
  bytesOf: (item: Item) => number,
): Generator<readonly Item[]> {
  let batch: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    batch.push(item);
    bytes += bytesOf(item);
    if (batch.length < MAX_ROWS && bytes < MAX_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
