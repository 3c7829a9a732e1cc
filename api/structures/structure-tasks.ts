import { structureColumns } from '../../shared/db/structures/structure-columns.ts';
import type { StructurePiece } from '../../shared/db/structures/write-structures.ts';
import { flattenFarms } from '../../shared/structures/flatten-farms.ts';
import { flattenFeatures } from '../../shared/structures/flatten-features.ts';
import type { FlatStructure, FlatStructures } from '../../shared/structures/flat-structure.ts';
import { IssueList } from '../../shared/structures/issue-list.ts';
import type { StoredStructure } from '../../shared/structures/merge-structure.ts';
import { StructureChange, type SizedStructure } from '../../shared/structures/structure-change.ts';
import { bodyCheck, parseBody, type BodyRefusal } from '../http/request/validate-body.ts';

// Structures are validated one by one, with their own messages: ajv sees only this schema.
const checkObject = bodyCheck<Readonly<Record<string, unknown>>>({ type: 'object' });

/** A body with more issues than this is not read to its end. */
const MAX_COUNTED_ISSUES = 10_000;

/** The steps of a write of structures that may take long; they keep the structures between them. */
export function structureTasks() {
  let issues = new IssueList();
  let change = new StructureChange([], issues);
  return {
    /** Reads a body; issues of its structures are found by `validate`. */
    read({ bytes }: { readonly bytes: Uint8Array }): BodyRefusal | null {
      const parsed = parseBody(bytes);
      if ('refusal' in parsed) return parsed;
      const checked = checkObject(parsed.value);
      if (!('value' in checked)) return checked;
      issues = new IssueList();
      const isGeoJson = checked.value['type'] === 'FeatureCollection';
      const flatten = isGeoJson ? flattenFeatures : flattenFarms;
      change = new StructureChange(collect(flatten(checked.value, issues), issues), issues);
      return issues.total < MAX_COUNTED_ISSUES ? null : { issues: issues.kept, total: issues.total };
    },
    size: () => change.size,
    nextIds: () => change.nextIds(),
    addKnown(rows: readonly SizedStructure[]) {
      change.addKnown(rows);
    },
    validate: () => change.validate(),
    added: () => change.added,
    issues: () => ({ issues: issues.kept, total: issues.total }),
    nextBatch: () => change.nextBatch(),
    addStored(rows: readonly StoredStructure[]) {
      change.addStored(rows);
    },
    nextPiece(): StructurePiece | null {
      const piece = change.nextMerged();
      if (piece === null) return null;
      const { merged, ...counts } = piece;
      return { ...counts, columns: structureColumns(merged) };
    },
  };
}

function collect(structures: FlatStructures, issues: IssueList): readonly FlatStructure[] {
  const found: FlatStructure[] = [];
  for (const structure of structures) {
    if (issues.total >= MAX_COUNTED_ISSUES) break;
    if (structure !== null) found.push(structure);
  }
  return found;
}
