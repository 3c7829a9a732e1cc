import type { Request, Response } from 'express';
import type { ApiKeyGrant } from '../../shared/db/access/api-keys.ts';
import type { ApiContext } from '../context.ts';
import { pathId } from '../http/parameters.ts';
import { ProblemError } from '../http/problem.ts';

/** The data areas that endpoints need, by their keys in the catalogue. */
export type DataArea = 'FarmOrganization' | 'FarmOrganizationAlerts';

/** A module's back end, authorized by its key. */
export interface MachineCaller extends ApiKeyGrant {
  /** ID of the data area that the endpoint needs. */
  readonly dataAreaId: string;
}

/**
 * Authorizes a module's back end: checks its key, its rate limits, and that the key belongs to the module of the path.
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
    throw new ProblemError('auth-forbidden', 'The API key belongs to another module.');
  const dataAreaId = api.catalogue.entry('dataAreas', dataArea)?.id;
  if (dataAreaId === undefined) throw new Error(`the catalogue has no data area ${dataArea}`);
  return { ...grant, dataAreaId };
}

/** The refusal if the module does not declare the data area. */
export function dataAreaMissing(dataArea: DataArea): ProblemError {
  return new ProblemError(
    'auth-data-area-missing',
    `The request needs the data area ${dataArea}, which the module's current revision does not declare.`,
  );
}
