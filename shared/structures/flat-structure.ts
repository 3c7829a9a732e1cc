import type { Geometry, StructureKind } from './structure.ts';

/** A structure of a body, whatever the form of the body. */
export interface FlatStructure {
  readonly kind: StructureKind;
  /** In lower case, as all IDs. */
  readonly id: string;
  /** Undefined where the body does not have it, null where it is not valid. */
  readonly farmId: string | null | undefined;
  readonly fieldId: string | null | undefined;
  /** The input members; undefined where one is not valid. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Undefined where the body does not have it. */
  readonly geometry: Geometry | null | undefined;
  /** Where the structure is in the body. */
  readonly pointer: string;
  /** Where its members are. */
  readonly membersPointer: string;
}

/** The structures of a body one after another: null for one without an ID. */
export type FlatStructures = Generator<FlatStructure | null, void, undefined>;
