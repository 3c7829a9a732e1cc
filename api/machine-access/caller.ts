import type { Request, Response } from 'express';
import type { ApiKeyGrant } from '../../shared/db/access/api-keys.ts';
import { findQuarantineReason } from '../../shared/db/modules/quarantine.ts';
import type { ApiContext } from '../context.ts';
import { requireNotSuspended } from '../auth/access.ts';
import { pathId } from '../http/request/parameters.ts';
import { ProblemError } from '../http/problem.ts';
import { quarantined } from '../modules/missing-file.ts';

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
export async function keyCaller(api: ApiContext, request: Request, response: Response): Promise<ApiKeyGrant> {
  const grant = await api.apiKeys.authenticate(request);
  api.keyRequests.follow(grant, request, response);
  await api.machineRate.spend(grant, response);
  if (pathId(request, 'moduleId') !== grant.moduleId)
    throw new ProblemError('auth-forbidden', 'The API key belongs to another module.');
  requireNotSuspended(grant);
  if (grant.quarantineReason !== null) throw quarantined(grant.quarantineReason);
  return grant;
}

/** The same, for a call that needs a data area. @throws ProblemError 401, 429, 400 or 403. */
export async function machineCaller(
  api: ApiContext,
  request: Request,
  response: Response,
  dataArea: DataArea,
): Promise<MachineCaller> {
  return { ...(await keyCaller(api, request, response)), dataAreaId: dataAreaIdOf(api, dataArea) };
}

/** The ID of a data area in the catalogue. */
export function dataAreaIdOf({ catalogue }: Pick<ApiContext, 'catalogue'>, dataArea: DataArea): string {
  const id = catalogue.entry('dataAreas', dataArea)?.id;
  if (id === undefined) throw new Error(`the catalogue has no data area ${dataArea}`);
  return id;
}

/**
 * The refusal if the module does not declare the data area, or went into quarantine after its key was read: the check
 * of a key is kept for a while.
 */
export async function dataAreaRefusal(
  { database }: ApiContext,
  { moduleId, organizationId }: ApiKeyGrant,
  dataArea: DataArea,
): Promise<ProblemError> {
  const reason = await findQuarantineReason(database, moduleId, { organizationId });
  if (reason !== null) return quarantined(reason);
  return new ProblemError(
    'auth-data-area-missing',
    `The request needs the data area ${dataArea}, which the module's current revision does not declare.`,
  );
}
