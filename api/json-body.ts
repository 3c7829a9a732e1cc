import { Ajv } from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { ProblemError } from './http.ts';
import type { RequestFault } from './http.ts';

// `allErrors` is safe here: bodies are bounded, and the patterns are linear.
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });

/** A body of ten megabytes can hold a million faults. */
const MAX_TOLD_FAULTS = 100;

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
 * Reads JSON bodies inside a handler, after the caller has been let in: a stranger's body is never read.
 * Rejects as the body parser does.
 */
export function bodyReader(maxBytes: number): (request: Request, response: Response) => Promise<void> {
  const read = readJson(maxBytes);
  return (request, response) =>
    new Promise((resolve, reject) => {
      void read(request, response, (error?: unknown) => {
        if (error instanceof Error) reject(error);
        else resolve();
      });
    });
}

/** A 400 whose list names these faults of the body; of very many only the first hundred are told. */
export function bodyProblem(faults: readonly Pick<RequestFault, 'pointer' | 'detail'>[]): ProblemError {
  return new ProblemError('request-invalid', 'The body breaks the rules that errors lists.', {
    errors: faults.slice(0, MAX_TOLD_FAULTS).map(({ pointer = '', detail }) => fault(pointer, detail)),
    errorsTotal: faults.length,
  });
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
