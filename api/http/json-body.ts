import { Ajv } from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { pointerTo } from '../../shared/package/text/json-pointer.ts';
import { ProblemError } from './problem.ts';
import type { RequestFault } from './problem.ts';
import { watchPace } from '../imports/watch-pace.ts';

const quick = new Ajv({ allowUnionTypes: true });
// `allErrors` is safe here: bodies are bounded, and the patterns are linear.
const thorough = new Ajv({ allErrors: true, allowUnionTypes: true });

/** Of a larger body only the first fault against its schema is told. */
const MAX_VALUES_OF_THOROUGH_CHECK = 50_000;

/** The rest are counted. */
const MAX_REPORTED_FAULTS = 100;

/** Far more than any body needs; the parser takes millions, and walking those would overflow the stack. */
const MAX_DEPTH = 64;

/** The compiled schema of a body: one check stops at the first fault, the other finds all. */
export interface BodySchema<T> {
  /** The JSON Schema itself, which `/openapi.json` tells. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly quick: ValidateFunction<T>;
  readonly thorough: ValidateFunction<T>;
}

/** Compiles the schema of a body. */
export function bodySchema<T>(schema: Readonly<Record<string, unknown>>): BodySchema<T> {
  return { schema, quick: quick.compile<T>(schema), thorough: thorough.compile<T>(schema) };
}

/** Reads JSON bodies inside a handler, after the caller has been let in: a stranger's body is never read. */
export function bodyReader(maxBytes: number): (request: Request, response: Response) => Promise<void> {
  const read = express.json({
    limit: maxBytes,
    strict: true,
    type: ['application/json', 'application/*+json'],
  });
  return (request, response) => readWith(read, request, response);
}

async function readWith(read: RequestHandler, request: Request, response: Response): Promise<void> {
  // A client that asks before it sends waits for this word.
  if (/^100-continue$/i.test(request.get('expect') ?? '')) response.writeContinue();
  let stopWatching: () => void = () => undefined;
  await new Promise<void>((resolve, reject) => {
    stopWatching = watchPace(request, reject);
    void read(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(error instanceof Error ? error : new Error('the body could not be read'));
    });
  }).finally(() => {
    stopWatching();
  });
}

const readText = express.text({ limit: 64 * 1024, type: () => true });

/**
 * A small body that may be missing, as JSON whatever its content type: a client that sends an empty body
 * (`curl -d ''`) names one all the same. A blank body counts as `{}`.
 * @throws ProblemError 400 with every fault and its place.
 */
export async function optionalJsonBody<T>(
  request: Request,
  response: Response,
  schema: BodySchema<T>,
): Promise<T> {
  await readWith(readText, request, response);
  const text: unknown = request.body;
  request.body = typeof text === 'string' && text.trim() !== '' ? parseJson(text) : {};
  return jsonBody(request, schema);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProblemError('request-invalid', 'The body must be empty or JSON.');
  }
}

/**
 * The body of a request, in its shape.
 * @throws ProblemError 400 with every fault and its place.
 */
export function jsonBody<T>(request: Request, schema: BodySchema<T>): T {
  const body: unknown = request.body;
  if (body === undefined) {
    throw new ProblemError('request-invalid', 'The body must be JSON, sent as application/json.');
  }
  const { faults, values } = bodyFaults(body);
  const schemaErrors = schemaFaults(body, schema, values);
  const errorsTotal = faults.length + schemaErrors.length;
  if (errorsTotal === 0) return body as T;
  const untold = Math.max(0, MAX_REPORTED_FAULTS - faults.length);
  throw bodyProblem(
    [...faults.slice(0, MAX_REPORTED_FAULTS), ...schemaErrors.slice(0, untold).map(faultOf)],
    errorsTotal,
  );
}

/** Most bodies are good, which the quick check tells; an error object for each of a million faults would take seconds. */
function schemaFaults<T>(body: unknown, schema: BodySchema<T>, values: number): readonly ErrorObject[] {
  if (schema.quick(body)) return [];
  if (values > MAX_VALUES_OF_THOROUGH_CHECK) return schema.quick.errors ?? [];
  return schema.thorough(body) ? [] : (schema.thorough.errors ?? []);
}

/** One fault of a body, by its place. */
export interface BodyFault {
  /** JSON Pointer into the body. */
  readonly pointer?: string;
  readonly detail: string;
}

/** The refusal of a body: 400 with its faults, up to a hundred, and their count. */
export function bodyProblem(faults: readonly BodyFault[], errorsTotal = faults.length): ProblemError {
  const errors = faults
    .slice(0, MAX_REPORTED_FAULTS)
    .map((each): RequestFault => ({ code: 'request-invalid', severity: 'error', ...each }));
  return new ProblemError('request-invalid', 'The body breaks the rules that errors lists.', {
    errors,
    errorsTotal,
  });
}

function fault(pointer: string, detail: string): BodyFault {
  return { detail, pointer };
}

/** ajv points at the parent of a member that is missing or one too many; people look for the member. */
function faultOf({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject): BodyFault {
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
function bodyFaults(body: unknown): { readonly faults: readonly BodyFault[]; readonly values: number } {
  const faults: BodyFault[] = [];
  let values = 0;
  // Pointers are made for faults alone: bodies may have a million members.
  const place: (string | number)[] = [];
  const report = (detail: string) => faults.push(fault(place.reduce(pointerTo, ''), detail));
  const judgeText = (text: string) => {
    const isGood = text.isWellFormed() && !text.includes('\0');
    if (!isGood) report('The text has a NUL or a lone surrogate.');
  };
  const visit = (value: unknown) => {
    values += 1;
    if (typeof value === 'string') judgeText(value);
    if (typeof value !== 'object' || value === null) return;
    if (place.length === MAX_DEPTH) report(`The value is nested deeper than ${MAX_DEPTH} levels.`);
    else if (Array.isArray(value)) visitItems(value);
    else visitMembers(value as Readonly<Record<string, unknown>>);
  };
  const visitItems = (items: readonly unknown[]) => {
    for (const [index, item] of items.entries()) {
      place.push(index);
      visit(item);
      place.pop();
    }
  };
  const visitMembers = (members: Readonly<Record<string, unknown>>) => {
    for (const name in members) {
      place.push(name);
      judgeText(name);
      visit(members[name]);
      place.pop();
    }
  };
  visit(body);
  return { faults, values };
}
