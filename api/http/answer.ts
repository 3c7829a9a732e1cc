import type { Response } from 'express';
import type { Static, TSchema } from 'typebox';
import { presenterOf, type PresentableOf } from './present.ts';

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
  return { description, forms: { 'application/json': { schema } }, headers, present };
}

/** The answer to a deletion, without a body. */
export const DELETED: Answer<undefined> = { description: 'Deleted.' };

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

/** What a handler with these answers may return. */
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

/** 201 with this body, or 200 if the resource existed before. */
export function createdOrOk<Body>(isNew: boolean, body: Body): Reply<200, Body> | Reply<201, Body> {
  return isNew ? reply(201, body) : reply(200, body);
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
