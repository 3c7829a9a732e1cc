import { Type } from 'typebox';
import { revisionChanges } from './revision-changes.ts';
import { guid, integer, listOf, namedObject, oneOf, text } from './schema.ts';

// No enum: the operator's own check has codes of its own, and codes may be added.
const problemCode = text(
  "Identifies the issue; `/problems/<code>` explains it. Codes of the operator's own check start with `operator-`.",
);

/** An issue of a package or of a request, as answers show it. */
export const issue = namedObject('Issue', 'One issue of a package or of a request, and its location.', {
  code: problemCode,
  detail: text('The cause and the remedy.'),
  severity: oneOf(['error', 'warning'], 'An error rejects the package or the request; a warning does not.'),
  entry: Type.Optional(text('The path of the entry in the archive.')),
  pointer: Type.Optional(
    text('JSON Pointer (RFC 6901) inside the entry, or inside the body of the request.'),
  ),
  line: Type.Optional(integer('The line in an entry that is text; the first is 1.', 1)),
  column: Type.Optional(integer('The column in the line, in UTF-16 code units; the first is 1.', 1)),
  offset: Type.Optional(integer('The offset in the archive, in bytes.')),
});

/** The number of issues that a list lacks, of one code. */
export const codeCount = namedObject('CodeCount', 'How many issues have a code.', {
  code: problemCode,
  count: integer('The number of issues.', 1),
});

/** A problem document. */
export const problem = namedObject('Problem', 'Why a request failed (RFC 9457).', {
  type: Type.String({
    format: 'uri-reference',
    description: 'Address of the page that explains the code.',
  }),
  // No enum: a client that knows a closed list would fail at the next code.
  code: text('Identifies the problem: the last segment of `type`. Codes may be added.'),
  title: text('A short summary of the code.'),
  status: Type.Integer({ minimum: 400, maximum: 599, description: 'The status of the answer.' }),
  detail: text('The cause and the remedy.'),
  instance: text('Path of the request.'),
  traceId: Type.String({ pattern: '^[0-9a-f]{32}$', description: 'Identifies the request in the logs.' }),
  importId: Type.Optional(guid('The import of the problem.')),
  errors: Type.Optional(listOf(issue, 'The issues, up to a hundred.')),
  warnings: Type.Optional(listOf(issue, 'Issues that do not reject the package.')),
  errorsTotal: Type.Optional(
    integer(
      'The number of issues, including those not listed. Of each file of a package at most 1,000 are counted.',
    ),
  ),
  unlistedErrors: Type.Optional(listOf(codeCount, 'How many issues of each code are not listed.')),
  changes: Type.Optional(revisionChanges),
});
