import type { Request, Response } from 'express';
import type { Static, TSchema } from 'typebox';
import type { ApiContext } from '../../context.ts';
import { checkOf } from '../../json-tasks.ts';
import type { BodyForm } from '../answer.ts';
import { bodyKind, type ReceivedBody } from './json-bodies.ts';
import { hasBody } from '../server/end-before-body.ts';
import { ProblemError, type RequestIssue } from '../problem.ts';
import { TIME } from '../schema.ts';
import type { RequestProblemCode } from '../request-problem-codes.ts';
import { MAX_REPORTED_ISSUES, type BodyIssue, type BodyRefusal } from './validate-body.ts';

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

/** A JSON body that its handler reads in a session of its own: `api.jsonBodies.use(body, …)`. */
export function receivedJsonBody(description: string, schema: TSchema): Body<ReceivedBody> {
  return {
    ...describedBody(description, schema),
    required: true,
    reader(api) {
      const kind = bodyKind(api.config.server.maxJsonBodyBytes, JSON_TYPES);
      return async (request, response) => {
        const body = await api.jsonBodies.read(request, response, kind);
        if (body !== null) return body;
        throw new ProblemError('request-invalid', 'The body must be JSON, sent as application/json.');
      };
    },
  };
}

/** A JSON body of this schema. */
export function jsonBody<Schema extends TSchema>(description: string, schema: Schema): Body<Static<Schema>> {
  const received = receivedJsonBody(description, schema);
  return {
    ...received,
    reader(api) {
      const read = received.reader(api);
      const validate = validator(api, schema);
      return async (request, response) => validate(await read(request, response));
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

const SMALL = bodyKind(64 * 1024);

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
    reader(api) {
      const validate = validator(api, schema);
      return async (request, response) => {
        const body = await api.jsonBodies.read(request, response, SMALL);
        const isBlank = body === null || /^\s*$/.test(Buffer.from(body.bytes).toString('latin1'));
        return validate(isBlank ? { bytes: new Uint8Array() } : body);
      };
    },
  };
}

/** A small JSON body of this schema, for callers without a credential, whatever its content type. */
export function smallJsonBody<Schema extends TSchema>(
  description: string,
  schema: Schema,
): Body<Static<Schema>> {
  return { ...optionalJsonBody(description, schema), required: true };
}

function describedBody(description: string, schema: TSchema) {
  const problems = ['request-invalid', 'request-too-large', 'rate-limited', 'unavailable'] as const;
  return { description, forms: { 'application/json': { schema } }, problems };
}

function validator<Schema extends TSchema>(
  api: ApiContext,
  schema: Schema,
): (body: ReceivedBody) => Promise<Static<Schema>> {
  const text = compiledText(schema);
  return async (body) => {
    const result = await api.jsonBodies.use(body, (tasks) =>
      tasks.run('validateBody', { bytes: body.bytes, schema: text }),
    );
    // The task has validated the value against the schema, whose type gets lost on the way.
    if ('value' in result) return result.value as Static<Schema>;
    throw bodyProblemOf(result);
  };
}

/** At the start: a schema with an error must not wait for the first body. */
function compiledText(schema: TSchema): string {
  const text = JSON.stringify(schema);
  checkOf(text);
  return text;
}

/** An item of a list in a body: valid, or with its issues. Pointers start at the body. */
export type BodyItem<Item> = { readonly value: Item } | { readonly issues: readonly BodyIssue[] };

/** A list in a body. */
interface ListOfItems<Item extends TSchema> {
  readonly name: string;
  readonly itemSchema: Item;
  /** The body's schema, but for the schema of the items. */
  readonly anyItems: TSchema;
}

/** A JSON body with a list; its items, each checked by itself. */
export function jsonBodyOfItems<Item extends TSchema>(
  description: string,
  schema: TSchema,
  { name, itemSchema, anyItems }: ListOfItems<Item>,
): Body<readonly BodyItem<Static<Item>>[]> {
  const received = receivedJsonBody(description, schema);
  return {
    ...received,
    reader(api) {
      const read = received.reader(api);
      const texts = { schema: compiledText(anyItems), itemSchema: compiledText(itemSchema) };
      return async (request, response) => {
        const body = await read(request, response);
        const result = await api.jsonBodies.use(body, (tasks) =>
          tasks.run('validateItems', { bytes: body.bytes, name, ...texts }),
        );
        // As above: the task has validated each value.
        if ('items' in result) return result.items as readonly BodyItem<Static<Item>>[];
        throw bodyProblemOf(result);
      };
    },
  };
}

/** The refusal of a body: 400 with its issues, up to a hundred, and their count. */
export function bodyProblem(issues: readonly BodyIssue[], errorsTotal = issues.length): ProblemError {
  return new ProblemError('request-invalid', 'The body is not valid; errors lists its issues.', {
    errors: bodyIssues(issues.slice(0, MAX_REPORTED_ISSUES)),
    errorsTotal,
  });
}

/** JavaScript reads it in UTC. */
const DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * The time of a member `expiresOn`, in at most this many days. @throws ProblemError 400 for a time that is past, too far
 * ahead, not of ISO 8601 or without an offset
 */
export function expiryOf(requested: string, maxDays: number): Date {
  const isTime = DAY.test(requested) || TIME.test(requested);
  const at = new Date(isTime ? requested : Number.NaN);
  if (at.getTime() > Date.now() && at <= daysAhead(maxDays)) return at;
  const detail = `The value must be an ISO 8601 time with an offset, or a day, in the future and at most ${maxDays} days ahead.`;
  throw bodyProblem([{ pointer: '/expiresOn', detail }]);
}

/** The time in this many days. */
export function daysAhead(days: number): Date {
  return new Date(Date.now() + days * 86_400_000);
}

/** Issues of a body, as answers show them. */
export function bodyIssues(issues: readonly BodyIssue[]): readonly RequestIssue[] {
  return issues.map((each) => ({ code: 'request-invalid', severity: 'error', ...each }));
}

/** The refusal of a body, as its reading reports it. */
export function bodyProblemOf(result: BodyRefusal): ProblemError {
  if ('refusal' in result) return new ProblemError('request-invalid', result.refusal);
  return bodyProblem(result.issues, result.total);
}
