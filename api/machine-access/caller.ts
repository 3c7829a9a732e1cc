import type { Request, Response } from 'express';
import type { ApiKeyGrant } from '../../shared/db/access/api-keys.ts';
import type { ApiContext } from '../context.ts';
import { pathId } from '../http/parameters.ts';
import { ProblemError } from '../http/problem.ts';

/** The data areas that calls need, by their keys in the catalogue. */
export type DataArea = 'FarmOrganization' | 'FarmOrganizationAlerts';

/** A module's back end, let in by its key. */
export interface MachineCaller extends ApiKeyGrant {
  /** ID of the data area that the call needs. */
  readonly dataAreaId: string;
}

/**
 * Lets a module's back end in: its key, its rate, then whether the key is the module's of the path.
 * @throws ProblemError 401, 429, 400 or 403.
 */
export async function machineCaller(
  api: ApiContext,
  request: Request,
  response: Response,
  dataArea: DataArea,
): Promise<MachineCaller> {
  const grant = await api.apiKeys.authenticate(request);
  await api.machineRate.spend(grant, response);
  if (pathId(request, 'moduleId') !== grant.moduleId)
    throw new ProblemError('auth-forbidden', 'The API key is of another module than the one in the address.');
  const dataAreaId = api.catalogue.entry('dataAreas', dataArea)?.id;
  if (dataAreaId === undefined) throw new Error(`the catalogue has no data area ${dataArea}`);
  return { ...grant, dataAreaId };
}

/** The refusal of a call whose data area the module does not declare. */
export function dataAreaMissing(dataArea: DataArea): ProblemError {
  return new ProblemError(
    'auth-data-area-missing',
    `The call needs the data area ${dataArea}, which the module's current revision does not declare.`,
  );
}
