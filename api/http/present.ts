import type { Static, TObject, TProperties, TSchema } from 'typebox';
import { keywordsOf } from './schema.ts';
import { timestamp } from './timestamp.ts';

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
