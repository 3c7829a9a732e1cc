import type { MergedStructure } from '../../structures/merge-structure.ts';

/** The columns of structures to be written, in the form of the statement's parameters. */
export interface StructureColumns {
  readonly ids: readonly string[];
  readonly kinds: readonly string[];
  readonly statuses: readonly string[];
  readonly farmIds: readonly string[];
  readonly fieldIds: readonly (string | null)[];
  readonly sections: readonly number[];
  readonly branchIds: readonly (string | null)[];
  readonly levels: readonly number[];
  /** Array literals of PostgreSQL: to escape megabytes of JSON takes too long for the event loop. */
  readonly members: string;
  readonly geometries: string;
}

export function structureColumns(merged: readonly MergedStructure[]): StructureColumns {
  const orders = merged.map(orderOf);
  return {
    ids: merged.map((each) => each.id),
    kinds: merged.map((each) => each.kind),
    statuses: merged.map((each) => each.status),
    farmIds: merged.map((each) => each.farmId),
    fieldIds: merged.map((each) => each.fieldId),
    sections: orders.map((each) => each.section),
    branchIds: orders.map((each) => each.branchId),
    levels: orders.map((each) => each.level),
    members: arrayLiteral(merged.map((each) => each.members)),
    geometries: arrayLiteral(merged.map((each) => each.geometry)),
  };
}

/** An array in PostgreSQL's own form (section 8.15.2 of its manual). */
function arrayLiteral(texts: readonly (string | null)[]): string {
  const elements = texts.map((each) => (each === null ? 'NULL' : `"${each.replaceAll(/["\\]/g, '\\$&')}"`));
  return `{${elements.join(',')}}`;
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
