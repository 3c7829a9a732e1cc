import type { Request } from 'express';
import type { ImportStatus } from '../../shared/db/models.ts';
import { ProblemError } from '../http/problem.ts';

/** What can become of an import. */
export const IMPORT_STATUSES: readonly ImportStatus[] = [
  'queued',
  'running',
  'succeeded',
  'rejected',
  'failed',
  'cancelled',
];

/** `status` of a list's address; null where it names none. @throws ProblemError where there is no such status. */
export function importStatusQuery(request: Request): ImportStatus | null {
  const value = request.query['status'];
  if (value === undefined) return null;
  const status = IMPORT_STATUSES.find((each) => each === value);
  if (status === undefined)
    throw new ProblemError('request-invalid', `status must be one of ${IMPORT_STATUSES.join(', ')}.`);
  return status;
}
