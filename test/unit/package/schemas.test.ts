import { describe, expect, test } from 'vitest';
import { PACKAGE_SCHEMAS } from '../../../api/documents/package-schemas.ts';

interface Schema {
  readonly type?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

/** The members that a schema describes, at every level, each with its place. */
function* membersOf(schema: Schema, place = ''): Generator<readonly [place: string, member: Schema]> {
  const { properties, patternProperties, definitions, additionalProperties, items } = schema;
  const named = Object.entries({ ...properties, ...patternProperties, ...definitions });
  const others = typeof additionalProperties === 'object' ? ([['*', additionalProperties]] as const) : [];
  const elements = items === undefined ? [] : ([['[]', items]] as const);
  for (const [name, member] of [...named, ...others, ...elements]) {
    yield [`${place}/${name}`, member];
    yield* membersOf(member, `${place}/${name}`);
  }
}

describe.each(Object.entries(PACKAGE_SCHEMAS))('%s', (name, schema: Schema) => {
  const members = [...membersOf(schema)];

  test('says what the whole is', () => {
    expect(schema.title, name).toBeTypeOf('string');
    expect(schema.description, name).toBeTypeOf('string');
  });

  test('has a title for every member that people write, and a description for every object in it', () => {
    expect(members.length).toBeGreaterThan(10);
    // The texts of a language and the IDs of a list are explained by what holds them.
    const written = members.filter(([place, { $ref }]) => $ref === undefined && !/\/(\*|\[\])$/.test(place));
    expect(written.filter(([, { title }]) => title === undefined).map(([place]) => place)).toEqual([]);
    const objects = members.filter(([, { properties }]) => properties !== undefined);
    const untold = objects.filter(([, { title, description }]) => (title && description) === undefined);
    expect(untold.map(([place]) => place)).toEqual([]);
  });
});
