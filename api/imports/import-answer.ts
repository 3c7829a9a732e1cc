import type { Response } from 'express';
import type { ImportFailure, ImportRow } from '../../shared/db/models.ts';
import { MODULE_VERSION } from '../../shared/package/descriptor/descriptor.ts';
import { orderedProblem } from '../../shared/package/problem.ts';
import type { Problem } from '../../shared/package/problem.ts';
import { ProblemError } from '../http/problem.ts';
import { timestamp } from '../http/timestamp.ts';
import type { ProblemExtras } from '../http/problem.ts';

/** An import as its reads give it. */
export function importItem(row: ImportRow) {
  return {
    importId: row.id,
    organizationId: row.organizationId,
    status: row.status,
    validateOnly: row.validateOnly,
    outcome: row.outcome,
    moduleId: row.moduleId,
    moduleVersion: row.outcome === null ? null : MODULE_VERSION,
    revision: row.revision,
    errors: row.errors.map(inOrder),
    warnings: row.warnings.map(orderedProblem),
    errorsTotal: row.errorsTotal,
    progress: { step: row.progressStep, completed: row.progressCompleted, total: row.progressTotal },
    fileName: row.fileName,
    sizeBytes: row.sizeBytes,
    sha256: row.sha256.toString('hex'),
    createdAt: timestamp(row.createdAt),
    startedAt: timestamp(row.startedAt),
    finishedAt: timestamp(row.finishedAt),
  };
}

/** The reason of a failed import has no place, and its members are in order as they are stored. */
function inOrder(each: Problem | ImportFailure): Problem | ImportFailure {
  return each.code === 'import-deadline-exceeded' ? each : orderedProblem(each);
}

/** The address of an import. */
export function importAddress(row: { organizationId: string; id: string }): string {
  return `/api/v8.0/${row.organizationId}/imports/${row.id}`;
}

/**
 * Answers with what became of an import.
 * @throws ProblemError where it did not succeed.
 */
export function sendImportEnd(response: Response, row: ImportRow): void {
  if (row.status !== 'succeeded') throw endProblem(row);
  response.json({
    importId: row.id,
    status: row.status,
    outcome: row.outcome,
    moduleId: row.moduleId,
    moduleVersion: MODULE_VERSION,
    revision: row.revision,
    ...(row.validateOnly && { validateOnly: true }),
    warnings: row.warnings.map(orderedProblem),
  });
}

function endProblem(row: ImportRow): ProblemError {
  const headers = { Location: importAddress(row) };
  switch (row.status) {
    case 'rejected':
      return rejection(row, headers);
    case 'cancelled':
      return new ProblemError('import-cancelled', 'The import was cancelled while it was queued.', {
        importId: row.id,
        headers,
      });
    default:
      return failure(row, headers);
  }
}

function failure(row: ImportRow, headers: Readonly<Record<string, string>>): ProblemError {
  const extras = { importId: row.id, headers: { ...headers, 'Retry-After': '60' } };
  const late = row.errors.find((each) => each.code === 'import-deadline-exceeded');
  if (late !== undefined) return new ProblemError('import-deadline-exceeded', late.detail, extras);
  return new ProblemError(
    'import-failed',
    'The import failed by a fault of ours. An operator can try it again.',
    extras,
  );
}

function rejection(row: ImportRow, headers: Readonly<Record<string, string>>): ProblemError {
  const { errorsTotal } = row;
  const errors = row.errors.map(inOrder);
  const warnings = row.warnings.map(orderedProblem);
  const extras: ProblemExtras = { importId: row.id, errors, warnings, errorsTotal, headers };
  const moved = errors.find((each) => each.code === 'registry-revision-changed');
  if (moved !== undefined) return new ProblemError('registry-revision-changed', moved.detail, extras);
  const count = errorsTotal === 1 ? 'one problem' : `${errorsTotal} problems`;
  return new ProblemError(
    'import-rejected',
    `The package was rejected for ${count}. Nothing was stored.`,
    extras,
  );
}
