import type { Request } from 'express';
import { Type } from 'typebox';
import { ProblemError } from '../problem.ts';
import { allowedTags } from './conditional-request.ts';

/** The header with the revision that a module must have. */
export const IF_MATCH_REVISION = {
  'If-Match': Type.String({
    pattern: '^(?:\\*|"[0-9]{1,9}"(?: *, *"[0-9]{1,9}")*)$',
    description:
      'Make the change only if the newest revision of the module is this one, in quotes as in its `ETag`, or one of a ' +
      'comma-separated list; `*`: only if the module exists.',
  }),
};

const NOT_REVISIONS =
  'If-Match must be a revision of the module in quotes, such as "3", a list of these, or *.';

/** The revisions that If-Match allows; empty: `*`, any; null: the header is missing. @throws ProblemError 400 */
export function expectedRevisions(request: Request): number[] | null {
  const tags = allowedTags(request, NOT_REVISIONS);
  if (tags?.some((tag) => !/^\d{1,9}$/.test(tag)) === true)
    throw new ProblemError('request-invalid', NOT_REVISIONS);
  return tags?.map(Number) ?? null;
}
