import { Ajv } from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import express from 'express';
import type { Request, RequestHandler } from 'express';
import { pointerTo } from '../shared/package/json-pointer.ts';
import { ProblemError } from './http.ts';
import type { RequestFault } from './http.ts';

// `allErrors` is safe here: bodies are bounded, and the patterns are linear.
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });

/** The rest are counted. */
const MAX_REPORTED_FAULTS = 100;

/** Far more than any body needs; the parser takes millions, and walking those would overflow the stack. */
const MAX_DEPTH = 64;

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
  const faults = bodyFaults(body);
  const schemaErrors = validate(body) ? [] : (validate.errors ?? []);
  const errorsTotal = faults.length + schemaErrors.length;
  if (errorsTotal === 0) return body as T;
  const untold = Math.max(0, MAX_REPORTED_FAULTS - faults.length);
  throw new ProblemError('request-invalid', 'The body breaks the rules that errors lists.', {
    errors: [...faults.slice(0, MAX_REPORTED_FAULTS), ...schemaErrors.slice(0, untold).map(faultOf)],
    errorsTotal,
  });
}

function fault(pointer: string, detail: string): RequestFault {
  return { code: 'request-invalid', detail, severity: 'error', pointer };
}

/** ajv points at the parent of a member that is missing or one too many; people look for the member. */
function faultOf({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject): RequestFault {
  const member: unknown =
    keyword === 'required'
      ? params['missingProperty']
      : keyword === 'additionalProperties'
        ? params['additionalProperty']
        : null;
  if (typeof member !== 'string') return fault(instancePath, `The value ${message}.`);
  const pointer = pointerTo(instancePath, member);
  return fault(pointer, keyword === 'required' ? 'The member is missing.' : 'There is no such member.');
}

/** What no schema says: text that the database cannot hold (NUL, halves of a surrogate pair), and too many levels. */
function bodyFaults(body: unknown): RequestFault[] {
  const faults: RequestFault[] = [];
  // Pointers are made for faults alone: bodies may have a million members.
  const place: string[] = [];
  const report = (detail: string) => faults.push(fault(place.reduce(pointerTo, ''), detail));
  const visit = (value: unknown) => {
    if (typeof value === 'string') {
      const isGood = value.isWellFormed() && !value.includes('\0');
      if (!isGood) report('The text has a NUL or a lone surrogate.');
    } else if (typeof value === 'object' && value !== null) {
      if (place.length < MAX_DEPTH) visitMembers(value as Readonly<Record<string, unknown>>);
      else report(`The value is nested deeper than ${MAX_DEPTH} levels.`);
    }
  };
  const visitMembers = (value: Readonly<Record<string, unknown>>) => {
    for (const member in value) {
      place.push(member);
      visit(value[member]);
      place.pop();
    }
  };
  visit(body);
  return faults;
}
