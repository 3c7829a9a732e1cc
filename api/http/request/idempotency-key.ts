import type { Request } from 'express';
import { Type } from 'typebox';
import { ProblemError } from '../problem.ts';
import type { ParameterSchemas } from './parameters.ts';

const NAME = 'Idempotency-Key';

/** The header of calls that recognize a repeat. */
export const IDEMPOTENCY_KEY = {
  [NAME]: Type.String({
    pattern: '^[!-~]{1,255}$',
    description:
      'Identifies this request within the organization for 7 days. A repeat of the request makes nothing again, and gets ' +
      'the same answer.',
  }),
};

/** The key of a request; null without one. @throws ProblemError 400 */
export function readIdempotencyKey(request: Request): string | null {
  const value = request.get(NAME);
  if (value === undefined) return null;
  if (/^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw new ProblemError('request-invalid', `${NAME} must be 1 to 255 visible ASCII characters.`);
}

/**
 * Refuses the key of an endpoint that does not take one: the client would repeat the call and believe that it is
 * recognized.
 * @throws ProblemError 400
 */
export function refuseIdempotencyKey(request: Request, headers: ParameterSchemas): void {
  if (request.get(NAME) === undefined || NAME in headers) return;
  throw new ProblemError(
    'request-invalid',
    `This call does not take an ${NAME}: a repeat would not be recognized. Leave the header out.`,
  );
}

/** The refusal of a key that stands for another request. */
export function keyMismatch(): ProblemError {
  return new ProblemError(
    'request-idempotency-mismatch',
    `The ${NAME} was used for another request. Use a new key.`,
  );
}
