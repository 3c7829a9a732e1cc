import type { RequestProblemCode } from '../http/request-problem-codes.ts';

/** A JSON Schema, or a reference to one. */
export type Schema = Readonly<Record<string, unknown>>;

/** Who may make a call. */
export type Access =
  /** Also while the process stops: what watches it. */
  | 'probe'
  | 'public'
  | 'anyToken'
  | 'operator'
  | 'vendorMember'
  | 'vendorAdmin'
  | 'farmerMember'
  | 'farmerAdmin'
  | 'apiKey';

/** A parameter of a call, in its address or its headers. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly schema: Schema;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly explode?: boolean;
  readonly style?: string;
}

/** One form of a body. */
export interface BodyForm {
  readonly schema: Schema;
  readonly encoding?: Schema;
  /** Where the body is text of many JSON values: the schema of each. */
  readonly partSchema?: Schema;
  readonly example?: unknown;
}

/** The body that a call takes. */
export interface RequestBody {
  readonly description: string;
  readonly required: boolean;
  /** By media type. */
  readonly forms: Readonly<Record<string, BodyForm>>;
}

/** An answer that is no problem. */
export interface Answer {
  readonly description: string;
  /** By media type; none: the answer has no body. */
  readonly forms?: Readonly<Record<string, BodyForm>>;
  /** Names of headers, each in `headers.ts`; those with a question mark are not always there. */
  readonly headers?: readonly string[];
}

/** One call of the service, as the document tells it. */
export interface Operation {
  readonly id: string;
  readonly method: 'get' | 'put' | 'post' | 'delete';
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly parameters?: readonly Parameter[];
  readonly body?: RequestBody;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Problems beside those that its access and its parameters bring. */
  readonly problems?: readonly RequestProblemCode[];
}

/** A reference to a schema of the document. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A JSON answer. */
export function json(description: string, schema: Schema, headers: readonly string[] = []): Answer {
  return { description, forms: { 'application/json': { schema } }, headers };
}

/** A JSON body of a request. */
export function jsonRequest(description: string, schema: Schema, required = true): RequestBody {
  return { description, required, forms: { 'application/json': { schema } } };
}

/** The answer without a body of what was deleted. */
export const DELETED: Answer = { description: 'It is gone.' };
