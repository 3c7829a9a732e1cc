import type { Geometry, StructureKind } from './structure.ts';

/** A structure as one body writes it, whatever the form of the body. */
export interface FlatStructure {
  readonly kind: StructureKind;
  /** In lower case, as all IDs. */
  readonly id: string;
  /** Undefined where the body does not tell it, null where it tells it wrongly. */
  readonly farmId: string | null | undefined;
  readonly fieldId: string | null | undefined;
  /** What is written; undefined where it is written wrongly. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Undefined where it is not written. */
  readonly geometry: Geometry | null | undefined;
  /** Where the structure is in the body. */
  readonly pointer: string;
  /** Where its members are. */
  readonly membersPointer: string;
}

/** What reading a structure gives, one after another: null for one that has no ID. */
export type FlatStructures = Generator<FlatStructure | null, void, undefined>;
