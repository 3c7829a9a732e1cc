import { Ajv } from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { ProblemError } from './http.ts';
import type { RequestFault } from './http.ts';

// `allErrors` is safe here: bodies are bounded, and the patterns are linear.
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });

/** Compiles the schema of a body. */
export function bodySchema<T>(schema: object): ValidateFunction<T> {
  return ajv.compile<T>(schema);
}

/** Reads JSON bodies up to a number of bytes. */
export function readJson(maxBytes: number): RequestHandler {
  const read = jsonReader(maxBytes);
  return async (request, response, next) => {
    await readWith(read, request, response);
    next();
  };
}

/** Reads a request's JSON body, up to a number of bytes, where the caller has been let in first. */
export async function readJsonBody(request: Request, response: Response, maxBytes: number): Promise<void> {
  await readWith(jsonReader(maxBytes), request, response);
}

function jsonReader(maxBytes: number): RequestHandler {
  return express.json({
    limit: maxBytes,
    strict: true,
    type: ['application/json', 'application/*+json'],
  });
}

async function readWith(read: RequestHandler, request: Request, response: Response): Promise<void> {
  // A client that asks before it sends waits for this word.
  if (/^100-continue$/i.test(request.get('expect') ?? '')) response.writeContinue();
  await new Promise<void>((resolve, reject) => {
    void read(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(error instanceof Error ? error : new Error(String(error)));
    });
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
  validate: ValidateFunction<T>,
): Promise<T> {
  await readWith(readText, request, response);
  const text: unknown = request.body;
  request.body = typeof text === 'string' && text.trim() !== '' ? parseJson(text) : {};
  return jsonBody(request, validate);
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
export function jsonBody<T>(request: Request, validate: ValidateFunction<T>): T {
  const body: unknown = request.body;
  if (body === undefined) {
    throw new ProblemError('request-invalid', 'The body must be JSON, sent as application/json.');
  }
  const faults = [
    ...unstorableText(body, ''),
    ...(validate(body) ? [] : (validate.errors ?? []).map(faultOf)),
  ];
  if (faults.length === 0) return body as T;
  throw bodyProblem(faults);
}

/** One fault of a body, by its place. */
export interface BodyFault {
  /** JSON Pointer into the body. */
  readonly pointer?: string;
  readonly detail: string;
}

const MAX_REPORTED = 100;

/** The refusal of a body: 400 with its faults, up to a hundred, and their count. */
export function bodyProblem(faults: readonly BodyFault[]): ProblemError {
  const errors = faults
    .slice(0, MAX_REPORTED)
    .map((each): RequestFault => ({ code: 'request-invalid', severity: 'error', ...each }));
  return new ProblemError('request-invalid', 'The body breaks the rules that errors lists.', {
    errors,
    errorsTotal: faults.length,
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
  const pointer = `${instancePath}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return fault(pointer, keyword === 'required' ? 'The member is missing.' : 'There is no such member.');
}

/** Text that the database cannot hold: NUL, and halves of a surrogate pair. */
function unstorableText(value: unknown, pointer: string): RequestFault[] {
  if (typeof value === 'string') {
    const isGood = value.isWellFormed() && !value.includes('\0');
    return isGood ? [] : [fault(pointer, 'The text has a NUL or a lone surrogate.')];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => unstorableText(each, `${pointer}/${key}`));
}
