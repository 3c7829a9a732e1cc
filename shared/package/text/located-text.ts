import { segmentsOf } from './json-pointer.ts';
import { type ProblemLocation, problem, type Problem } from '../problem.ts';
import type { PackageProblemCode } from '../problem-codes.ts';

/** 1-based; the column in UTF-16 code units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Where one value of a parsed text is. */
export interface LocatedNode {
  readonly value: TextPosition;
  /** The location of the member's name; of the value itself if it has none. */
  readonly key: TextPosition;
  /** The source text of a number, because parsing loses digits; null for anything else. */
  readonly numberText: string | null;
  readonly members: ReadonlyMap<string, LocatedNode> | null;
  readonly items: readonly LocatedNode[] | null;
}

/** A member name that is duplicated in one object, or is too long to be shown. */
export interface KeyIssue extends TextPosition {
  readonly pointer: string;
  readonly name: string;
}

/** Why a text cannot be parsed. */
export interface TextIssue extends TextPosition {
  readonly detail: string;
}

/** A parsed file, and where each of its values is. */
export interface LocatedText {
  readonly entry: string;
  readonly value: unknown;
  readonly root: LocatedNode;
  readonly duplicateKeys: readonly KeyIssue[];
  /** Names over 200 characters: nothing below them can be pointed at. */
  readonly longKeys: readonly KeyIssue[];
}

/** Longest member name that a package's texts may have, in UTF-16 code units. */
export const MAX_KEY_LENGTH = 200;

function childOf(node: LocatedNode, segment: string): LocatedNode | undefined {
  return node.members === null ? node.items?.[Number(segment)] : node.members.get(segment);
}

/** The node that a pointer leads to; null when there is none. */
export function nodeAt(text: LocatedText, pointer: string): LocatedNode | null {
  let node: LocatedNode | undefined = text.root;
  for (const segment of segmentsOf(pointer)) {
    node = node && childOf(node, segment);
  }
  return node ?? null;
}

/** The node that a pointer leads to, or the nearest one above it. */
function nearestNode(text: LocatedText, pointer: string): LocatedNode {
  let node = text.root;
  for (const segment of segmentsOf(pointer)) {
    const child = childOf(node, segment);
    if (child === undefined) break;
    node = child;
  }
  return node;
}

/** The location of a pointer in a file: of the value, or of the member's name. A missing member has that of its parent. */
export function locationOf(
  text: LocatedText,
  pointer: string,
  part: 'value' | 'key' = 'value',
): ProblemLocation {
  const { line, column } = nearestNode(text, pointer)[part];
  return { entry: text.entry, pointer, line, column };
}

/** A problem of a value in a parsed file. */
export function problemAt(
  text: LocatedText,
  code: PackageProblemCode,
  pointer: string,
  detail: string,
  part: 'value' | 'key' = 'value',
): Problem {
  return problem(code, detail, locationOf(text, pointer, part));
}
