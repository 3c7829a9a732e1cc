import type { Request, Response } from 'express';
import type { ApiContext } from '../context.ts';
import { sendStructures } from './send-structures.ts';
import { findOwn } from './structures-request.ts';

/** Answers a farmer with its organization's own structures, in the forms that modules get. */
export async function sendOwnStructures(
  api: ApiContext,
  request: Request,
  response: Response,
  organizationId: string,
): Promise<void> {
  const find = findOwn(api, request, organizationId);
  await sendStructures(request, response, api.structures, find, () => api.streamSlots.take(organizationId));
}
