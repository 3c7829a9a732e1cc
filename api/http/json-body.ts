import { Ajv } from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import type { Static, TSchema } from 'typebox';
import { pointerTo } from '../../shared/package/text/json-pointer.ts';
import type { ApiContext } from '../context.ts';
import type { BodyForm } from './answer.ts';
import { hasBody, ProblemError } from './problem.ts';
import type { RequestIssue } from './problem.ts';
import type { RequestProblemCode } from './request-problem-codes.ts';
import { FORMATS, NAME } from './schema.ts';
import { watchPace } from './watch-pace.ts';

const OPTIONS = { allowUnionTypes: true, formats: FORMATS };
const quick = new Ajv(OPTIONS).addVocabulary([NAME]);
// `allErrors` is safe here: the size of bodies is limited, and the patterns are linear.
const thorough = new Ajv({ ...OPTIONS, allErrors: true }).addVocabulary([NAME]);

/** For a larger body only the first schema error is reported. */
const MAX_VALUES_OF_THOROUGH_CHECK = 50_000;

/** The rest are only counted. */
const MAX_REPORTED_ISSUES = 100;

/** Far more than any body needs; the parser accepts millions of levels, which would overflow the stack. */
const MAX_DEPTH = 64;

/** Reads a request's body and checks it. */
export type ReadBody<Input> = (request: Request, response: Response) => Promise<Input>;

/** The body of an endpoint's request; `Input` is the type of its JSON. */
export interface Body<Input> {
  readonly description: string;
  readonly required: boolean;
  /** By media type. */
  readonly forms: Readonly<Record<string, BodyForm>>;
  readonly problems: readonly RequestProblemCode[];
  /** The reader runs after the caller is authorized: the body of an unauthorized request is never read. */
  reader(api: ApiContext): ReadBody<Input>;
}

const JSON_TYPES = ['application/json', 'application/*+json'];

function notJson(): ProblemError {
  return new ProblemError('request-invalid', 'The body must be JSON, sent as application/json.');
}

/** A JSON body of this schema. */
export function jsonBody<Schema extends TSchema>(description: string, schema: Schema): Body<Static<Schema>> {
  return {
    ...describedBody(description, schema),
    required: true,
    reader(api) {
      const limit = api.config.server.maxJsonBodyBytes;
      const read = express.json({ limit, strict: true, type: JSON_TYPES });
      const check = bodyCheck(schema);
      return async (request, response) => {
        await readWith(read, request, response);
        const body: unknown = request.body;
        if (body !== undefined) return check(body);
        throw notJson();
      };
    },
  };
}

/** The body, or undefined where the request has none by its headers. A blank body is not none. */
export function mayBeMissing<Input>(body: Body<Input>): Body<Input | undefined> {
  return {
    ...body,
    required: false,
    reader(api) {
      const read = body.reader(api);
      return async (request, response) => (hasBody(request) ? read(request, response) : undefined);
    },
  };
}

const readText = express.text({ limit: 64 * 1024, type: () => true });

/**
 * A small JSON body that may be missing, whatever its content type: a client that sends an empty body
 * (`curl -d ''`) names a type all the same. A blank body is read as `{}`.
 */
export function optionalJsonBody<Schema extends TSchema>(
  description: string,
  schema: Schema,
): Body<Static<Schema>> {
  return {
    ...describedBody(description, schema),
    required: false,
    reader() {
      const check = bodyCheck(schema);
      return async (request, response) => {
        await readWith(readText, request, response);
        const text: unknown = request.body;
        return check(typeof text === 'string' && text.trim() !== '' ? parseJson(text) : {});
      };
    },
  };
}

function describedBody(description: string, schema: TSchema) {
  const problems = ['request-invalid', 'request-too-large'] as const;
  return { description, forms: { 'application/json': { schema } }, problems };
}

async function readWith(read: RequestHandler, request: Request, response: Response): Promise<void> {
  // A client that sent Expect waits for this answer.
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProblemError('request-invalid', 'The body must be empty or JSON.');
  }
}

/**
 * Validates bodies against a schema and the rules that a schema cannot express.
 * @throws ProblemError 400 with every issue and its location.
 */
function bodyCheck<Schema extends TSchema>(schema: Schema): (body: unknown) => Static<Schema> {
  const isValid = quick.compile<Static<Schema>>(schema);
  const findAll = thorough.compile(schema);
  return (body) => {
    const { issues, total, values } = textIssues(body);
    if (isValid(body) && total === 0) return body;
    // Most bodies are valid; an error object for each of a million issues would take seconds.
    const errors = values > MAX_VALUES_OF_THOROUGH_CHECK ? isValid.errors : findErrors(findAll, body);
    const schemaErrors = errors ?? [];
    const unreported = MAX_REPORTED_ISSUES - issues.length;
    const reported = [...issues, ...schemaErrors.slice(0, unreported).map(issueOf)];
    throw bodyProblem(reported, total + schemaErrors.length);
  };
}

function findErrors(validate: ValidateFunction, body: unknown): readonly ErrorObject[] {
  validate(body);
  const errors = validate.errors ?? [];
  // An ID has a format and its pattern: one value that breaks both is one issue.
  const byPattern = new Set(
    errors.filter(({ keyword }) => keyword === 'pattern').map((each) => each.instancePath),
  );
  return errors.filter(({ keyword, instancePath }) => keyword !== 'format' || !byPattern.has(instancePath));
}

/** One issue of a body, with its location. */
export interface BodyIssue {
  /** JSON Pointer into the body. */
  readonly pointer?: string;
  readonly detail: string;
}

/** The refusal of a body: 400 with its issues, up to a hundred, and their count. */
export function bodyProblem(issues: readonly BodyIssue[], errorsTotal = issues.length): ProblemError {
  const errors = issues
    .slice(0, MAX_REPORTED_ISSUES)
    .map((each): RequestIssue => ({ code: 'request-invalid', severity: 'error', ...each }));
  return new ProblemError('request-invalid', 'The body is not valid; errors lists its issues.', {
    errors,
    errorsTotal,
  });
}

function issue(pointer: string, detail: string): BodyIssue {
  return { detail, pointer };
}

/** ajv points at the parent of a missing or unknown member; people look for the member. */
function issueOf({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject): BodyIssue {
  const member: unknown =
    keyword === 'required'
      ? params['missingProperty']
      : keyword === 'additionalProperties'
        ? params['additionalProperty']
        : null;
  if (typeof member !== 'string') return issue(instancePath, `The value ${message}.`);
  const pointer = pointerTo(instancePath, member);
  return issue(pointer, keyword === 'required' ? 'The member is missing.' : 'There is no such member.');
}

interface TextIssues {
  /** The first of them, as many as are reported. */
  readonly issues: readonly BodyIssue[];
  readonly total: number;
  /** How many values the body has. */
  readonly values: number;
}

/** What a schema cannot express: text that the database cannot store (NUL, lone surrogates), and too many levels. */
function textIssues(body: unknown): TextIssues {
  const issues: BodyIssue[] = [];
  let total = 0;
  let values = 0;
  const location: (string | number)[] = [];
  // Pointers are created only for reported issues: a body may have a million members, each with an issue.
  const report = (detail: string) => {
    total += 1;
    if (issues.length < MAX_REPORTED_ISSUES) issues.push(issue(location.reduce(pointerTo, ''), detail));
  };
  const checkText = (text: string) => {
    const isGood = text.isWellFormed() && !text.includes('\0');
    if (!isGood) report('The text has a NUL or a lone surrogate.');
  };
  const visit = (value: unknown) => {
    values += 1;
    if (typeof value === 'string') checkText(value);
    if (typeof value !== 'object' || value === null) return;
    if (location.length === MAX_DEPTH) report(`The value is nested deeper than ${MAX_DEPTH} levels.`);
    else if (Array.isArray(value)) visitItems(value);
    else visitMembers(value as Readonly<Record<string, unknown>>);
  };
  const visitItems = (items: readonly unknown[]) => {
    for (const [index, item] of items.entries()) {
      location.push(index);
      visit(item);
      location.pop();
    }
  };
  const visitMembers = (members: Readonly<Record<string, unknown>>) => {
    for (const name in members) {
      location.push(name);
      checkText(name);
      visit(members[name]);
      location.pop();
    }
  };
  visit(body);
  return { issues, total, values };
}
