import type { Request } from 'express';
import { ProblemError } from '../problem.ts';
import type { ParameterSchemas } from './parameters.ts';

const IDEMPOTENCY_KEY = 'Idempotency-Key';

/**
 * Refuses the key of an endpoint that does not take one: the client would repeat the call and believe that it is
 * recognized.
 * @throws ProblemError 400
 */
export function refuseIdempotencyKey(request: Request, headers: ParameterSchemas): void {
  if (request.get(IDEMPOTENCY_KEY) === undefined || IDEMPOTENCY_KEY in headers) return;
  throw new ProblemError(
    'request-invalid',
    'This call does not take an Idempotency-Key: a repeat would not be recognized. Leave the header out.',
  );
}
