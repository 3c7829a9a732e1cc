import { mediaTypeOf } from '../layout/media-types.ts';
import type { Problem } from '../problem.ts';
import { activeContentProblems } from './active-content.ts';
import { namedTypeProblems, signedType } from './named-type.ts';

/** Warnings about a file with terms or about privacy, which may be of any type. */
export function validateDocument(content: Buffer, entry: string): Problem[] {
  const type = signedType(content);
  return [
    ...namedTypeProblems(entry, type),
    ...activeContentProblems(entry, content, type ?? mediaTypeOf(entry)),
  ];
}
