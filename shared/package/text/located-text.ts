import { segmentsOf } from './json-pointer.ts';
import type { Place } from '../problem.ts';
import { problem } from '../problem.ts';
import type { Problem } from '../problem.ts';
import type { PackageProblemCode } from '../problem-codes.ts';
import { storableText } from './quote-value.ts';

/** 1-based; the column in UTF-16 code units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Where one value of a parsed text stands. */
export interface PlacedNode {
  readonly value: TextPosition;
  /** Of the member's name; of the value itself where it has none. */
  readonly key: TextPosition;
  /** A number as it is written, because parsing loses digits; null for anything else. */
  readonly numberText: string | null;
  readonly members: ReadonlyMap<string, PlacedNode> | null;
  readonly items: readonly PlacedNode[] | null;
}

/** A member name that stands twice in one object, or is too long to be told. */
export interface KeyFault extends TextPosition {
  readonly pointer: string;
  readonly name: string;
}

/** Why a text cannot be parsed. */
export interface TextFault extends TextPosition {
  readonly detail: string;
}

/** A parsed file, and where each of its values stands. */
export interface PlacedText {
  readonly entry: string;
  readonly value: unknown;
  readonly root: PlacedNode;
  readonly duplicateKeys: readonly KeyFault[];
  /** Names over 200 characters: nothing below them can be pointed at. */
  readonly longKeys: readonly KeyFault[];
}

/** Longest member name that a package's texts may have, in UTF-16 code units. */
export const MAX_KEY_LENGTH = 200;

function childOf(node: PlacedNode, segment: string): PlacedNode | undefined {
  return node.members === null ? node.items?.[Number(segment)] : node.members.get(segment);
}

/** The node that a pointer leads to; null when there is none. */
export function nodeAt(text: PlacedText, pointer: string): PlacedNode | null {
  let node: PlacedNode | undefined = text.root;
  for (const segment of segmentsOf(pointer)) {
    node = node && childOf(node, segment);
  }
  return node ?? null;
}

/** The node that a pointer leads to, or the nearest one above it. */
function nearestNode(text: PlacedText, pointer: string): PlacedNode {
  let node = text.root;
  for (const segment of segmentsOf(pointer)) {
    const child = childOf(node, segment);
    if (child === undefined) break;
    node = child;
  }
  return node;
}

/** The place of a pointer in a file: of the value, or of the member's name. A missing member is placed at its parent. */
function placeOf(text: PlacedText, pointer: string, part: 'value' | 'key' = 'value'): Place {
  const { line, column } = nearestNode(text, pointer)[part];
  return { entry: text.entry, pointer: storableText(pointer), line, column };
}

/** A problem of a value in a parsed file. */
export function problemAt(
  text: PlacedText,
  code: PackageProblemCode,
  pointer: string,
  detail: string,
  part: 'value' | 'key' = 'value',
): Problem {
  return problem(code, detail, placeOf(text, pointer, part));
}
