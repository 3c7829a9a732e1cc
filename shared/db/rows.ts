import { Model } from 'objection';
import type { ACCESS } from './migrations/0001-baseline/access.ts';
import type { ALERTS } from './migrations/0001-baseline/alerts.ts';
import type { CHANGES } from './migrations/0001-baseline/changes.ts';
import type { IMPORTS } from './migrations/0001-baseline/imports.ts';
import type { MODULES } from './migrations/0001-baseline/modules.ts';
import type { OPERATIONS } from './migrations/0001-baseline/operations.ts';
import type { ORGANIZATIONS } from './migrations/0001-baseline/organizations.ts';
import type { SESSIONS } from './migrations/0001-baseline/sessions.ts';
import type { WEBHOOKS } from './migrations/0001-baseline/webhooks.ts';

/** What the driver returns for a type of PostgreSQL; the first word of a type is its name here. */
interface Types {
  readonly uuid: string;
  readonly text: string;
  readonly integer: number;
  readonly smallint: number;
  readonly bigint: number;
  readonly double: number;
  readonly boolean: boolean;
  readonly bytea: Buffer;
  readonly timestamptz: Date;
  readonly 'timestamptz(3)': Date;
  readonly json: unknown;
  readonly jsonb: unknown;
  readonly 'uuid[]': string[];
  readonly 'text[]': string[];
  readonly 'integer[]': number[];
}

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

type Lines<Text extends string, Found = never> = Text extends `${infer Line}\n${infer Rest}`
  ? Lines<Rest, Found | Line>
  : Found | Text;

type FirstWord<Text extends string> = Text extends `${infer Word} ${string}`
  ? Word
  : Text extends `${infer Word},`
    ? Word
    : Text;

/** The line of a column is its name, its type and its constraints, four spaces from the left. */
type NameIn<Line> = Line extends `    ${infer Name} ${infer Definition}`
  ? Name extends '' | '--'
    ? never
    : FirstWord<Definition> extends keyof Types
      ? CamelCase<Name>
      : never
  : never;

type TypeIn<Line> = Line extends `    ${string} ${infer Definition}`
  ? FirstWord<Definition> extends infer Type extends keyof Types
    ? Types[Type] | (Definition extends `${string}${'not null' | 'primary key'}${string}` ? never : null)
    : never
  : never;

type Columns<Body extends string> = { [Line in Lines<Body> as NameIn<Line>]: TypeIn<Line> };

type Tables<
  Sql,
  Found = unknown,
> = Sql extends `${string}create table ${infer Name} (\n${infer Body}\n  );${infer Rest}`
  ? Tables<Rest, Found & Readonly<Record<Name, Columns<Body>>>>
  : Found;

type Schema = Tables<`${typeof ORGANIZATIONS}${typeof MODULES}${typeof IMPORTS}${typeof ACCESS}`> &
  Tables<`${typeof SESSIONS}${typeof ALERTS}${typeof CHANGES}${typeof WEBHOOKS}${typeof OPERATIONS}`>;

/** The row of a table as its migration describes it, by the columns' names in camelCase. */
export type Row<Table extends keyof Schema> = Schema[Table];

/**
 * The base of a table's model, with its columns. The model declares those of which the migration does not say enough:
 * enumerations, the shapes of JSON, and columns of later migrations. Members are declared, not defined: a class field
 * would give every row an own `undefined`. A model is bound where it is used: `ImportModel.query(database)`.
 */
export function modelOf<Table extends keyof Schema>(tableName: Table) {
  class TableModel extends Model {
    static override readonly tableName = tableName;
  }
  return TableModel as unknown as Omit<typeof Model, 'prototype'> & (new () => Model & Row<Table>);
}
