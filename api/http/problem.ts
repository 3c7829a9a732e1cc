import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { isAuthorityEnded } from '../../shared/db/access/authority.ts';
import type { RevisionChanges } from '../../shared/db/modules/changed-parts.ts';
import { RevisionChangedError } from '../../shared/db/modules/models.ts';
import { QuotaExceededError } from '../../shared/db/quota.ts';
import type { CodeCount, Problem } from '../../shared/package/problem.ts';
import { noteFacts } from './server/access-log.ts';
import { endBeforeBody } from './server/end-before-body.ts';
import { REQUEST_PROBLEMS, type RequestProblemCode } from './request-problem-codes.ts';
import { currentSpan } from '../../shared/telemetry/current-span.ts';
import { isOutOfTime } from '../../shared/db/out-of-time.ts';
import { NoSlotError } from '../../shared/limits/fair-slots.ts';
import { OverRateError } from '../../shared/limits/fair-rate.ts';
import type { Log } from '../../shared/telemetry/log.ts';

/** One issue of a request's body or parameters. */
export interface RequestIssue {
  readonly code: RequestProblemCode;
  readonly detail: string;
  readonly severity: 'error';
  /** JSON Pointer into the body. */
  readonly pointer?: string;
}

/** Further members of a problem document, and headers of its answer. */
export interface ProblemExtras {
  readonly importId?: string;
  readonly errors?: readonly (Problem | RequestIssue)[];
  readonly warnings?: readonly Problem[];
  readonly errorsTotal?: number;
  readonly unlistedErrors?: readonly CodeCount[];
  readonly changes?: RevisionChanges;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The request is refused. Thrown in `api/` only; the handler below answers with an RFC 9457 document. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: RequestProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: RequestProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.code = code;
    this.extras = extras;
  }
}

/** The refusal of a request that may succeed a few seconds later; `cause` is for the log. */
export function unavailable(detail: string, retrySeconds = RETRY_SECONDS, cause?: unknown): ProblemError {
  const problem = new ProblemError('unavailable', detail, retryAfter(retrySeconds));
  problem.cause = cause;
  return problem;
}

function retryAfter(seconds: number): ProblemExtras {
  return { headers: { 'Retry-After': String(seconds) } };
}

/** When to try again what failed, or what something scarce was missing for. */
const RETRY_SECONDS = 5;

/** What was found or changed. @throws ProblemError 404 where there is no such thing: null or false */
export function found<Value>(value: Value | null | false | undefined, detail: string): Value {
  if (value !== null && value !== false && value !== undefined) return value;
  throw new ProblemError('not-found', detail);
}

/** Headers that a handler may have set for its own answer; they do not apply to a problem. */
const OF_REPRESENTATIONS = ['Accept-Ranges', 'Content-Disposition', 'Content-Range', 'ETag', 'Link'];

/** Every 401 names a scheme (RFC 9110, 15.5.2), also where a session is missing. */
export const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="api"' };

/** Answers with a problem document. */
function sendProblem(request: Request, response: Response, problem: ProblemError, pages: string): void {
  const { headers = {}, ...members } = problem.extras;
  const { status, title } = REQUEST_PROBLEMS[problem.code];
  const body = JSON.stringify({
    type: `${pages}/problems/${problem.code}`,
    code: problem.code,
    title,
    status,
    detail: problem.message,
    instance: request.originalUrl.split('?', 1)[0],
    traceId: currentSpan().traceId,
    ...members,
  });
  noteFacts(request, { problem: problem.code });
  for (const name of OF_REPRESENTATIONS) response.removeHeader(name);
  response
    .status(status)
    .set({ 'Cache-Control': 'no-store', ...(status === 401 && CHALLENGE), ...headers })
    .type('application/problem+json');
  endBeforeBody(request, response, body);
}

/**
 * The last handler: a refusal becomes its problem, any other error a 503 without internal details. `publicUrl` is the
 * origin of the problems' pages, where it is another one.
 */
export function problemHandler(log: Log, publicUrl: string | null = null): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      log.error({ err: error }, 'response interrupted');
      next(error);
      return;
    }
    sendProblem(request, response, toProblem(error, request, log), publicUrl ?? '');
  };
}

/** Errors of Express and its body parsers have a status and a flag for whether their message may be shown. */
interface ExposableError extends Error {
  readonly status: number;
  readonly expose: boolean;
}

function isExposable(error: unknown): error is ExposableError {
  return (
    error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500
  );
}

function toProblem(error: unknown, request: Request, log: Log): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof QuotaExceededError) {
    const { max, what } = error;
    return new ProblemError('quota-exceeded', `There can be at most ${max} ${what}. Nothing was stored.`);
  }
  if (error instanceof RevisionChangedError)
    return new ProblemError(
      'registry-revision-changed',
      `If-Match names another revision: ${error.message}. Nothing was changed.`,
    );
  if (isAuthorityEnded(error)) return authorityEnded(error.detail);
  if (error instanceof NoSlotError) return noSlot(error);
  if (error instanceof OverRateError) return overRate(error);
  if (isExposable(error)) {
    if (error.status === 413) return new ProblemError('request-too-large', 'The body is over the limit.');
    return new ProblemError('request-invalid', requestIssueOf(error));
  }
  const { method, path } = request;
  for (const cause of causesOf(error)) {
    if (cause instanceof NoSlotError) return noSlot(cause);
    if (!isOutOfTime(cause)) continue;
    log.warn({ reason: cause.message, method, path }, 'database did not answer in time');
    return unavailable(`The data is in use by other requests. Try again in ${RETRY_SECONDS} seconds.`);
  }
  log.error({ err: error, method, path }, 'request failed');
  return unavailable('The service could not answer. Try again later.');
}

/** What the caller lost while the request ran, by the kind of its authority. */
const LOST: Readonly<Record<string, readonly [RequestProblemCode, string]>> = {
  member: ['auth-forbidden', 'the caller was removed from the organization, or lost the role that it needs'],
  publisher: ['auth-token-invalid', 'the publisher of the access token was removed'],
  apiKey: ['auth-api-key-invalid', 'the API key was revoked'],
  quarantinedKey: ['module-quarantined', 'the module was put into quarantine'],
  suspended: ['organization-suspended', 'an operator suspended the organization'],
  operator: ['auth-forbidden', 'the organization was deleted'],
  token: ['auth-forbidden', 'the organization was deleted'],
};

function authorityEnded(kind: string): ProblemError {
  const [code, what] = LOST[kind] ?? ['auth-forbidden', 'the caller lost what it may do'];
  return new ProblemError(code, `While the request ran, ${what}. Nothing was changed.`);
}

/** An error and what caused it, which says more about it than the error of an endpoint. */
function* causesOf(error: unknown): Generator<Error> {
  for (let each = error; each instanceof Error; each = each.cause) yield each;
}

/** Whether a request is refused because its owner has used up what it may use. */
export function isOwnersLimit(error: unknown): boolean {
  return [...causesOf(error)].some(
    (each) => each instanceof OverRateError || (each instanceof NoSlotError && each.usedUpBy === 'owner'),
  );
}

/** Something scarce is used up: by the caller's organization, which can end what it runs, or by all together. */
function noSlot({ resource, ownerKind, usedUpBy, max }: NoSlotError): ProblemError {
  const isOwner = usedUpBy === 'owner';
  const whose = isOwner ? ownerKind : 'service';
  return new ProblemError(
    isOwner ? 'rate-limited' : 'unavailable',
    `The ${whose} has reached its limit of ${max} concurrent ${resource}. ${isOwner ? 'Wait for one to end, or try' : 'Try'} again in ${RETRY_SECONDS} seconds.`,
    retryAfter(RETRY_SECONDS),
  );
}

/** A rate of the caller is used up. */
function overRate({ message, retryMs }: OverRateError): ProblemError {
  const seconds = Math.ceil(retryMs / 1_000);
  return new ProblemError('rate-limited', `${message} Try again in ${seconds} s.`, retryAfter(seconds));
}

function requestIssueOf(error: ExposableError): string {
  if (error instanceof URIError)
    return 'The address has a percent sign that does not start an escape of UTF-8, such as %20.';
  if (error instanceof SyntaxError) return 'The body is not JSON.';
  return 'The request cannot be read.';
}

/** Returns 404 for a path without a route. */
export const notFoundHandler: RequestHandler = () => {
  throw new ProblemError('not-found', 'There is nothing at this address.');
};

/** Returns 405 for a path with these methods. */
export function methodNotAllowed(...allowed: readonly string[]): RequestHandler {
  return (request) => {
    const detail = `${request.method} is not allowed. Use ${allowed.join(', ')}.`;
    throw new ProblemError('method-not-allowed', detail, { headers: { Allow: allowed.join(', ') } });
  };
}
