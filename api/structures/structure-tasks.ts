import { structureColumns } from '../../shared/db/structures/structure-columns.ts';
import type { WriteStep } from '../../shared/db/structures/write-structures.ts';
import { flattenFarms } from '../../shared/structures/flatten-farms.ts';
import { flattenFeatures } from '../../shared/structures/flatten-features.ts';
import type { FlatStructure, FlatStructures } from '../../shared/structures/flat-structure.ts';
import { IssueList } from '../../shared/structures/issue-list.ts';
import { changeSteps, type FoundStructures } from '../../shared/structures/structure-change.ts';
import { bodyCheck, parseBody, type BodyRefusal } from '../http/request/validate-body.ts';

// Structures are validated one by one, with their own messages: ajv sees only this schema.
const checkObject = bodyCheck<Readonly<Record<string, unknown>>>({ type: 'object' });

/** A body with more issues than this is not read to its end. */
const MAX_COUNTED_ISSUES = 10_000;

/** The steps of a write of structures that may take long; they keep the structures between them. */
export function structureTasks() {
  let issues = new IssueList();
  let structures: readonly FlatStructure[] = [];
  let steps = changeSteps(structures, issues);
  return {
    /** Reads a body; issues of its structures are found by its steps. */
    read({ bytes }: { readonly bytes: Uint8Array }): BodyRefusal | null {
      const parsed = parseBody(bytes);
      if ('refusal' in parsed) return parsed;
      const checked = checkObject(parsed.value);
      if (!('value' in checked)) return checked;
      issues = new IssueList();
      const isGeoJson = checked.value['type'] === 'FeatureCollection';
      const flatten = isGeoJson ? flattenFeatures : flattenFarms;
      structures = collect(flatten(checked.value, issues), issues);
      return issues.total < MAX_COUNTED_ISSUES ? null : { issues: issues.kept, total: issues.total };
    },
    issues: () => ({ issues: issues.kept, total: issues.total }),
    /** The first step of the change, or the next one with the rows that the last one needed; null: there are no more. */
    nextStep(found: FoundStructures | null): WriteStep | null {
      if (found === null) steps = changeSteps(structures, issues);
      const { value: step } = steps.next(found ?? {});
      if (step === undefined) return null;
      if (step.needs !== 'write') return step;
      const { merged, ...counts } = step.piece;
      return { needs: 'write', piece: { ...counts, columns: structureColumns(merged) } };
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
