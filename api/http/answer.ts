import type { Request, Response } from 'express';
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import { keywordsOf, namesShownOnce } from './schema.ts';

/** One form of a body. */
export interface BodyForm {
  readonly schema: TSchema;
  readonly encoding?: object;
  /** The schema of each JSON value, for a body that is text with many of them. */
  readonly partSchema?: TSchema;
}

/** An answer that is not a problem; `Body` is the type of its JSON. */
export interface Answer<Body> {
  readonly description: string;
  /** By media type; if there is none, the answer has no body. */
  readonly forms?: Readonly<Record<string, BodyForm>>;
  /** Names of headers; one with a question mark is not always sent. */
  readonly headers?: readonly string[];
  /** Presents the value that a handler returns; without it, the value is the JSON. */
  present?(body: Body): unknown;
  /** Members that only the first answer to a request shows. */
  readonly shownOnce?: readonly string[];
  /** Never set: it carries the type. */
  readonly body?: Body;
}

/** Answers by status. */
export type Answers = Readonly<Record<number, Answer<unknown>>>;

/** A JSON answer whose handler returns it as it is sent. */
export function finishedJson<Schema extends TSchema>(
  description: string,
  schema: Schema,
  headers: readonly string[] = [],
): Answer<Static<Schema>> {
  return { description, forms: { 'application/json': { schema } }, headers };
}

/** A JSON answer: the members of the schema, of a row that may have others. */
export function json<Schema extends TSchema>(
  description: string,
  schema: Schema,
  headers: readonly string[] = [],
): Answer<PresentableOf<Schema>> {
  const present = presenterOf(schema);
  return {
    ...{ description, forms: { 'application/json': { schema } }, headers, present },
    shownOnce: namesShownOnce(schema),
  };
}

/** The JSON answer of a call that has made something: `Location` is its address. */
export function created<Schema extends TSchema>(
  description: string,
  schema: Schema,
  headers: readonly string[] = [],
): Answer<PresentableOf<Schema>> {
  return json(description, schema, ['Location', ...headers]);
}

/** The reply of a handler. */
export interface Reply<Status extends number, Body> {
  readonly status: Status;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Sent {
  readonly isSent: true;
}

/** The reply of a handler that has already answered, for example with a stream. */
export const SENT: Sent = { isSent: true };

/** The possible results of a handler with these answers. */
export type ReplyOf<Of extends Answers> =
  | {
      readonly [Status in keyof Of & number]: Of[Status] extends Answer<infer Body>
        ? Reply<Status, Body>
        : never;
    }[keyof Of & number]
  | Sent;

/** 200 with this body. */
export function ok<Body>(body: Body, headers: Readonly<Record<string, string>> = {}): Reply<200, Body> {
  return reply(200, body, headers);
}

/** An answer of any status. */
export function reply<Status extends number, Body>(
  status: Status,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): Reply<Status, Body> {
  return { status, body, headers };
}

/** 201 with this body, or 200 if what the path of the request names existed before. */
export function createdOrOk<Body>(
  { originalUrl }: Pick<Request, 'originalUrl'>,
  isNew: boolean,
  body: Body,
): Reply<200, Body> | Reply<201, Body> {
  const [location = ''] = originalUrl.split('?', 1);
  return isNew ? reply(201, body, { Location: location }) : reply(200, body);
}

/** 204. */
export const NO_CONTENT: Reply<204, undefined> = { status: 204, body: undefined };

/** Sends a reply as its answer presents it, unless the handler has already answered. */
export function sendReply(response: Response, reply: Reply<number, unknown> | Sent, answers: Answers): void {
  if ('isSent' in reply) return;
  const { status, headers = {}, body } = reply;
  response.status(status).set(headers);
  if (body === undefined) response.end();
  else response.json(answers[status]?.present?.(body) ?? body);
}

/** A reply for a repeat of its request: as it is sent, but for what is shown once. */
export function replyOfRepeat(
  { status, headers = {}, body }: Reply<number, unknown>,
  answers: Answers,
): Reply<number, unknown> {
  const { present, shownOnce = [] } = answers[status] ?? {};
  const shown = body === undefined ? undefined : (present?.(body) ?? body);
  if (shownOnce.length === 0) return reply(status, shown, headers);
  const hidden = Object.fromEntries(shownOnce.map((name) => [name, null]));
  return reply(status, { ...Object(shown), ...hidden }, headers);
}

/** What an answer of this shape is made of: a row with the same members, whose times may be dates. */
export type Presentable<Shape> = {
  readonly [Name in keyof Shape]: string extends Exclude<Shape[Name], null | undefined>
    ? Shape[Name] | Date
    : Shape[Name];
};

/** What a handler returns for an answer of this schema. */
export type PresentableOf<Schema extends TSchema> = Schema extends TObject
  ? Presentable<Static<Schema>>
  : Static<Schema>;

/** Makes the JSON of a row: the members that the schema has, in its order, with dates as text. Lists and objects stay. */
export function present<Members extends TProperties>(
  schema: TObject<Members>,
  row: Presentable<Static<TObject<Members>>>,
): Static<TObject<Members>> {
  // The type of `row` has proven that each member is there.
  return membersOf(Object.keys(schema.properties), row) as Static<TObject<Members>>;
}

/** A row for an answer, with members whose names or values differ from the row's. */
export function answerOf<Row extends object, Others extends object>(
  row: Row,
  others: Others,
): Omit<Row, keyof Others> & Others {
  return { ...row, ...others };
}

/** Presents the value that a handler returns in an answer of this schema; a value that is no object stays as it is. */
export function presenterOf(schema: TSchema): (body: unknown) => unknown {
  const { properties } = keywordsOf(schema);
  if (typeof properties !== 'object' || properties === null) return (body) => body;
  const names = Object.keys(properties);
  return (body) => (typeof body === 'object' && body !== null ? membersOf(names, body) : body);
}

function membersOf(names: readonly string[], row: object): object {
  const values: Readonly<Record<string, unknown>> = { ...row };
  const members: Record<string, unknown> = {};
  for (const name of names) {
    const value = values[name];
    if (value !== undefined) members[name] = value instanceof Date ? timestamp(value) : value;
  }
  return members;
}

/** A timestamp as answers show it: ISO 8601 with the offset +00:00. */
export function timestamp(date: Date): string;
export function timestamp(date: Date | null): string | null;
export function timestamp(date: Date | null): string | null {
  return date === null ? null : date.toISOString().replace('Z', '+00:00');
}
