import { Type } from 'typebox';
import type { ImportRow } from '../../shared/db/imports/models.ts';
import { MODULE_VERSION } from '../../shared/package/descriptor/descriptor.ts';
import { orderedProblem } from '../../shared/package/problem.ts';
import { issue } from '../http/problem-schema.ts';
import { ProblemError } from '../http/problem.ts';
import { boolean, guid, integer, listOf, namedObject, oneOf, orNull } from '../http/schema.ts';
import { IMPORT_OUTCOMES, importPath, isFailure, moduleVersion, orderedError } from './import.ts';

/** The answer to an upload whose import succeeded. */
export const importSuccess = namedObject('ImportSuccess', 'The result of a successful import.', {
  importId: guid('The ID of the import.'),
  status: Type.Literal('succeeded', { description: 'The import has succeeded.' }),
  outcome: oneOf(IMPORT_OUTCOMES, 'What the import did to the module.'),
  moduleId: orNull(
    guid('The module. Null if a package without a module ID was only validated: no ID is reserved.'),
  ),
  moduleVersion,
  revision: orNull(integer('The revision of the module after the import.', 1)),
  released: boolean('Whether the revision is released to everyone; otherwise it is staged.'),
  validateOnly: Type.Optional(boolean('Present, and true, if the package was only validated.')),
  warnings: listOf(issue, 'Issues that do not reject the package.'),
});

/** The result of an ended import. @throws ProblemError if it did not succeed. */
export function successOf(row: ImportRow) {
  if (row.status !== 'succeeded' || row.outcome === null) throw problemOf(row);
  const { status, outcome, moduleId, revision, released } = row;
  return {
    ...{ importId: row.id, status, outcome, moduleId, moduleVersion: MODULE_VERSION, revision, released },
    ...(row.validateOnly && { validateOnly: true }),
    warnings: row.warnings.map(orderedProblem),
  };
}

function problemOf(row: ImportRow): ProblemError {
  const extras = { importId: row.id, headers: { Location: importPath(row) } };
  switch (row.status) {
    case 'rejected':
      return rejection(row, extras);
    case 'cancelled':
      return new ProblemError('import-cancelled', 'The import was cancelled while it was queued.', extras);
    default:
      return failure(row, extras);
  }
}

interface Extras {
  readonly importId: string;
  readonly headers: { readonly Location: string };
}

function failure({ errors }: ImportRow, { importId, headers }: Extras): ProblemError {
  const extras = { importId, headers: { ...headers, 'Retry-After': '60' } };
  const [reason] = errors.filter(isFailure);
  return reason === undefined
    ? new ProblemError(
        'import-failed',
        'The import failed because of an internal error. An operator can retry it.',
        extras,
      )
    : new ProblemError(reason.code, reason.detail, extras);
}

function rejection(row: ImportRow, { importId, headers }: Extras): ProblemError {
  const { errorsTotal } = row;
  const errors = row.errors.map(orderedError);
  const warnings = row.warnings.map(orderedProblem);
  const extras = { importId, errors, warnings, errorsTotal, headers };
  const moved = errors.find((each) => each.code === 'registry-revision-changed');
  if (moved !== undefined) return new ProblemError('registry-revision-changed', moved.detail, extras);
  const count = errorsTotal === 1 ? 'one problem' : `${errorsTotal} problems`;
  return new ProblemError(
    'import-rejected',
    `The package was rejected for ${count}. Nothing was stored.`,
    extras,
  );
}
