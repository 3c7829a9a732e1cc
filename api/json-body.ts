import { Ajv } from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import express from 'express';
import type { Request, RequestHandler } from 'express';
import { ProblemError } from './http.ts';
import { pointerTo } from '../shared/package/json-pointer.ts';

// `allErrors` is safe here: bodies are bounded, and the patterns are linear.
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });

/** Compiles the schema of a body. */
export function bodySchema<T>(schema: object): ValidateFunction<T> {
  return ajv.compile<T>(schema);
}

/** Reads JSON bodies up to a number of bytes. */
export function readJson(maxBytes: number): RequestHandler {
  const read = express.json({
    limit: maxBytes,
    strict: true,
    type: ['application/json', 'application/*+json'],
  });
  return (request, response, next) => {
    // A client that asks before it sends waits for this word.
    if (/^100-continue$/i.test(request.get('expect') ?? '')) response.writeContinue();
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Express's request is Node's, with more
    read(request, response, next);
  };
}

/**
 * The body of a request, in its shape.
 * @throws ProblemError 400 with every fault and its place.
 */
export function jsonBody<T>(request: Request, validate: ValidateFunction<T>): T {
  const body: unknown = request.body;
  if (body === undefined) {
    throw new ProblemError('request-invalid', 'The body must be JSON, sent as application/json.');
  }
  const faults: BodyFault[] = [];
  findUnstorable(body, null, faults);
  if (!validate(body)) faults.push(...(validate.errors ?? []).map(faultOf));
  if (faults.length === 0) return body as T;
  throw brokenBody(faults, faults.length);
}

/** One thing that is wrong with a body. */
export interface BodyFault {
  /** JSON Pointer into the body. */
  readonly pointer: string;
  readonly detail: string;
}

const MAX_FAULTS = 100;

/** The refusal of a body: 400 with its faults, of which so many are listed and all are counted. */
export function brokenBody(faults: readonly BodyFault[], total: number): ProblemError {
  return new ProblemError('request-invalid', 'The body breaks the rules that errors lists.', {
    errors: faults
      .slice(0, MAX_FAULTS)
      .map(({ pointer, detail }) => ({ code: 'request-invalid', detail, severity: 'error', pointer })),
    errorsTotal: total,
  });
}

/** ajv points at the parent of a member that is missing or one too many; people look for the member. */
function faultOf({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject): BodyFault {
  const member: unknown =
    keyword === 'required'
      ? params['missingProperty']
      : keyword === 'additionalProperties'
        ? params['additionalProperty']
        : null;
  if (typeof member !== 'string') return { pointer: instancePath, detail: `The value ${message}.` };
  const detail = keyword === 'required' ? 'The member is missing.' : 'There is no such member.';
  return { pointer: pointerTo(instancePath, member), detail };
}

/** Deeper than any body of ours; without a bound a body of brackets alone would use up the stack. */
const MAX_DEPTH = 64;

/** A step on the way into a body: pointers are written for faults only, of which there are few. */
interface Step {
  readonly parent: Step | null;
  readonly key: string | number;
  readonly depth: number;
}

function pointerOf(step: Step | null): string {
  return step === null ? '' : pointerTo(pointerOf(step.parent), step.key);
}

/** Finds text that the database cannot hold: NUL, and halves of a surrogate pair. */
function findUnstorable(value: unknown, step: Step | null, faults: BodyFault[]): void {
  if (typeof value === 'string') {
    if (value.isWellFormed() && !value.includes('\0')) return;
    faults.push({ pointer: pointerOf(step), detail: 'The text has a NUL or a lone surrogate.' });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const depth = (step?.depth ?? 0) + 1;
  if (depth > MAX_DEPTH) {
    faults.push({ pointer: pointerOf(step), detail: `The body is nested more than ${MAX_DEPTH} deep.` });
    return;
  }
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, each] of entries as Iterable<[string | number, unknown]>) {
    // Of millions of numbers none needs a step.
    if (typeof each === 'string' || typeof each === 'object')
      findUnstorable(each, { parent: step, key, depth }, faults);
  }
}
