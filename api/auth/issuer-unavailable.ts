import { ProblemError } from '../http/problem.ts';

/** The refusal of a request that needs the issuer while it is unavailable; a problem of the request itself stays one. */
export function issuerUnavailable(cause: unknown): ProblemError {
  if (cause instanceof ProblemError) return cause;
  const problem = new ProblemError('unavailable', 'The issuer is unavailable. Try again later.', {
    headers: { 'Retry-After': '5' },
  });
  problem.cause = cause;
  return problem;
}
