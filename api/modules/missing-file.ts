import { findQuarantineReason, type KnownModules } from '../../shared/db/modules/quarantine.ts';
import type { ApiContext } from '../context.ts';
import { ProblemError } from '../http/problem.ts';

/** The refusal of calls for a module that an operator has stopped. */
export function quarantined(reason: string): ProblemError {
  return new ProblemError('module-quarantined', `The module is in quarantine: ${reason}`);
}

/** The refusal of a file that was not found: because its module is in quarantine, or because there is none. */
export async function missingFile(
  api: ApiContext,
  moduleId: string,
  known: KnownModules,
  detail: string,
): Promise<ProblemError> {
  const reason = await findQuarantineReason(api.database, moduleId, known);
  return reason === null ? new ProblemError('not-found', detail) : quarantined(reason);
}
