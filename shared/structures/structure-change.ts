import type { FlatStructure } from './flat-structure.ts';
import type { IssueList } from './issue-list.ts';
import { mergeStructure, type MergedStructure, type StoredStructure } from './merge-structure.ts';
import {
  referencedIds,
  validateStructures,
  type KnownStructure,
  type StructureLocation,
} from './validate-structures.ts';

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

/** IDs of one query; its rows arrive, and are read, at once. */
const MAX_IDS = 2_000;
/** The most that is merged and written at once; stored structures may be far larger than the body that names them. */
const MAX_ROWS = 1_000;
const MAX_BYTES = 1024 * 1024;

/**
 * The structures of one body on their way into the table. Each step takes and returns a bounded part, so that the
 * database's connection can be elsewhere than the structures.
 */
export class StructureChange {
  readonly #structures: readonly FlatStructure[];
  readonly #issues: IssueList;
  readonly #ids: readonly string[];
  readonly #known = new Map<string, SizedStructure>();
  readonly #now = new Date();
  #locations: ReadonlyMap<string, StructureLocation> = new Map();
  #idsFound = 0;
  #batchStart = 0;
  #batchEnd = 0;
  #stored = new Map<string, StoredStructure>();

  constructor(structures: readonly FlatStructure[], issues: IssueList) {
    this.#structures = structures;
    this.#issues = issues;
    this.#ids = referencedIds(structures);
  }

  /** How many structures the body has. */
  get size(): number {
    return this.#structures.length;
  }

  /** The next IDs that decide about the structures; none when all have been returned. */
  nextIds(): readonly string[] {
    const ids = this.#ids.slice(this.#idsFound, this.#idsFound + MAX_IDS);
    this.#idsFound += ids.length;
    return ids;
  }

  /** Those of the IDs that are stored. */
  addKnown(rows: readonly SizedStructure[]): void {
    for (const row of rows) this.#known.set(row.id, row);
  }

  /** Whether the structures fit each other and what is stored; otherwise there are issues. */
  validate(): boolean {
    this.#locations = validateStructures(this.#structures, this.#known, this.#issues);
    return this.#issues.total === 0;
  }

  /** How many of the structures are not stored yet. */
  get added(): number {
    return this.#structures.filter(({ id }) => !this.#known.has(id)).length;
  }

  /** The IDs of the next structures that are stored; null when there are no more structures. */
  nextBatch(): readonly string[] | null {
    const start = this.#batchEnd;
    let bytes = 0;
    while (this.#batchEnd - start < MAX_ROWS && bytes < MAX_BYTES) {
      const structure = this.#structures[this.#batchEnd];
      if (structure === undefined) break;
      bytes += this.#known.get(structure.id)?.bytes ?? 0;
      this.#batchEnd += 1;
    }
    this.#batchStart = start;
    this.#stored = new Map();
    if (start === this.#batchEnd) return null;
    return this.#structures
      .slice(start, this.#batchEnd)
      .flatMap(({ id }) => (this.#known.has(id) ? [id] : []));
  }

  /** What is stored of the batch. */
  addStored(rows: readonly StoredStructure[]): void {
    for (const row of rows) this.#stored.set(row.id, row);
  }

  /** The next structures of the batch that change something; null when all have been merged. */
  nextMerged(): MergedPiece | null {
    const merged: MergedStructure[] = [];
    let chars = 0;
    while (this.#batchStart < this.#batchEnd && chars < MAX_BYTES) {
      const each = this.#merge(this.#structures[this.#batchStart]);
      this.#batchStart += 1;
      if (each === null) continue;
      merged.push(each);
      chars += each.members.length + (each.geometry?.length ?? 0);
    }
    if (merged.length === 0) return null;
    const replaced = merged.flatMap(({ id }) => this.#known.get(id) ?? []);
    const bytesBefore = replaced.reduce((sum, each) => sum + each.bytes, 0);
    return { merged, updated: replaced.length, bytesBefore };
  }

  #merge(structure: FlatStructure | undefined): MergedStructure | null {
    const location = structure && this.#locations.get(structure.id);
    if (structure === undefined || location === undefined)
      throw new Error('a structure without issues has no location');
    return mergeStructure(structure, this.#stored.get(structure.id), location, this.#now);
  }
}
