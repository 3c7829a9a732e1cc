import { Type } from 'typebox';
import { findImport, type EndedImport } from '../../shared/db/imports/imports.ts';
import type { ImportFailure, ImportRow } from '../../shared/db/imports/models.ts';
import { MODULE_VERSION } from '../../shared/package/descriptor/descriptor.ts';
import { orderedProblem, type Problem } from '../../shared/package/problem.ts';
import type { OrganizationAccess } from '../auth/access.ts';
import type { ApiContext } from '../context.ts';
import { codeCount, issue } from '../http/problem-schema.ts';
import { found, ProblemError } from '../http/problem.ts';
import {
  boolean,
  dateTime,
  guid,
  integer,
  listOf,
  namedObject,
  oneOf,
  orNull,
  sha256,
  text,
} from '../http/schema.ts';

/** The statuses of an import. */
export const IMPORT_STATUSES = ['queued', 'running', 'succeeded', 'rejected', 'failed', 'cancelled'] as const;
/** The effect of a successful import on its module. */
export const IMPORT_OUTCOMES = ['created', 'updated', 'unchanged'] as const;

/** The filter of lists of imports. */
export const STATUS_QUERY = { status: oneOf(IMPORT_STATUSES, 'Only imports with this status.') };

/** The version of every imported module. */
export const moduleVersion = Type.Unsafe<typeof MODULE_VERSION>({
  type: 'number',
  // A number as `const` is more than some generators of clients can name.
  minimum: MODULE_VERSION,
  maximum: MODULE_VERSION,
  description: 'The version of the module; always 0.1 after an import.',
});

const importProgress = namedObject('ImportProgress', 'The progress of an import.', {
  step: oneOf(['queued', 'reading', 'checking', 'writing'], 'The current step.'),
  completed: integer('The completed part of `total`, in the same units.'),
  total: integer('The size of the step in its units, bytes or files; 0 while it is unknown.'),
});

/** An import as answers show it. */
export const packageImport = namedObject('Import', 'One upload of a package, and its result.', {
  importId: guid('The ID of the import.'),
  organizationId: guid('The vendor of the package.'),
  importedBy: text('The uploader: the subject of the token, or the trusted publisher.'),
  status: oneOf(
    IMPORT_STATUSES,
    'Where the import is. `rejected`: the vendor must correct the package; `failed`: an internal error.',
  ),
  validateOnly: boolean('Whether the package was only validated.'),
  outcome: orNull(oneOf(IMPORT_OUTCOMES, 'The effect on the module; null until the import has succeeded.')),
  moduleId: orNull(guid('The module; null until the import has one.')),
  moduleVersion: orNull(
    Type.Number({
      description: 'The version of the module, always 0.1; null until the import has succeeded.',
    }),
  ),
  revision: orNull(
    integer('The revision of the module after the import; null until the import has succeeded.', 1),
  ),
  released: orNull(
    boolean(
      'Whether the import left the revision released to everyone; null until the import has succeeded.',
    ),
  ),
  errors: listOf(issue, 'The errors of a rejected package; for a failed import, an internal error.'),
  warnings: listOf(issue, 'Issues that do not reject the package.'),
  errorsTotal: integer(
    'The number of errors, including those not listed. Of each file at most 1,000 are counted.',
  ),
  unlistedErrors: listOf(codeCount, 'How many errors of each code are not listed.'),
  progress: importProgress,
  fileName: orNull(text('The file name of the upload.')),
  sizeBytes: integer('The size of the package, in bytes.'),
  sha256: sha256('The SHA-256 of the package, in hexadecimal digits.'),
  createdAt: dateTime('When the package was received.'),
  startedAt: orNull(dateTime('When a worker first took the import; null while it waits.')),
  finishedAt: orNull(dateTime('When the import ended; null until then.')),
});

/** A row with the names of answers. */
export function importAnswer(row: ImportRow) {
  return {
    ...row,
    importId: row.id,
    moduleVersion: row.outcome === null ? null : MODULE_VERSION,
    released: row.outcome === null ? null : row.released,
    errors: row.errors.map(orderedError),
    warnings: row.warnings.map(orderedProblem),
    progress: { step: row.progressStep, completed: row.progressCompleted, total: row.progressTotal },
    sha256: row.sha256.toString('hex'),
  };
}

/** An error with its members in the order of answers; the reason of a failed import has no location. */
export function orderedError(each: Problem | ImportFailure): Problem | ImportFailure {
  return isFailure(each) ? each : orderedProblem(each);
}

/** Whether an error says why an import failed: it has no location. */
export function isFailure(each: Problem | ImportFailure): each is ImportFailure {
  return each.code === 'import-failed' || each.code === 'import-deadline-exceeded';
}

/** The path of an import. */
export function importPath({ organizationId, id }: Pick<ImportRow, 'organizationId' | 'id'>): string {
  return `/api/v8.0/${organizationId}/imports/${id}`;
}

/**
 * An import of the caller's organization. A trusted publisher sees those that publishers made for its module: a CI run
 * that is repeated with its idempotency key gets the first run's import.
 * @throws ProblemError 404 if there is no such import.
 */
export async function readImport(
  api: ApiContext,
  { organization, publisher }: OrganizationAccess,
  importId: string,
): Promise<ImportRow> {
  const row = await findImport(api.database, organization.id, importId);
  const isVisible = row !== null && (publisher === undefined || isByPublisherOf(publisher.moduleId, row));
  return found(isVisible && row, 'The organization has no such import.');
}

function isByPublisherOf(moduleId: string, { publisherTokenId, onlyModuleId }: ImportRow): boolean {
  return publisherTokenId !== null && onlyModuleId === moduleId;
}

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
export function successOf(row: EndedImport) {
  if (row.status !== 'succeeded' || row.outcome === null) throw problemOf(row);
  const { status, outcome, moduleId, revision, released } = row;
  return {
    ...{ importId: row.id, status, outcome, moduleId, moduleVersion: MODULE_VERSION, revision, released },
    ...(row.validateOnly && { validateOnly: true }),
    warnings: row.warnings.map(orderedProblem),
  };
}

function problemOf(row: EndedImport): ProblemError {
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

function failure({ errors }: EndedImport, { importId, headers }: Extras): ProblemError {
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

function rejection(row: EndedImport, { importId, headers }: Extras): ProblemError {
  const { errorsTotal, unlistedErrors } = row;
  const errors = row.errors.map(orderedError);
  const warnings = row.warnings.map(orderedProblem);
  const extras = { importId, errors, warnings, errorsTotal, unlistedErrors, headers };
  const moved = errors.find((each) => each.code === 'registry-revision-changed');
  if (moved !== undefined) return new ProblemError('registry-revision-changed', moved.detail, extras);
  const count = errorsTotal === 1 ? 'one problem' : `${errorsTotal} problems`;
  return new ProblemError(
    'import-rejected',
    `The package was rejected for ${count}. Nothing was stored.`,
    extras,
  );
}
