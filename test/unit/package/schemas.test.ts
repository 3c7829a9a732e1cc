import { describe, expect, test } from 'vitest';
import { PACKAGE_SCHEMAS } from '../../../api/documents/schema-endpoints.ts';

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

/** The members that a schema describes, at every level, each with its location. */
function* membersOf(schema: Schema, location = ''): Generator<readonly [location: string, member: Schema]> {
  const { properties, patternProperties, definitions, additionalProperties, items } = schema;
  const named = Object.entries({ ...properties, ...patternProperties, ...definitions });
  const others = typeof additionalProperties === 'object' ? ([['*', additionalProperties]] as const) : [];
  const elements = items === undefined ? [] : ([['[]', items]] as const);
  for (const [name, member] of [...named, ...others, ...elements]) {
    yield [`${location}/${name}`, member];
    yield* membersOf(member, `${location}/${name}`);
  }
}

describe.each(Object.entries(PACKAGE_SCHEMAS))('%s', (name, schema: Schema) => {
  const members = [...membersOf(schema)];

  test('describes the whole', () => {
    expect(schema.title, name).toBeTypeOf('string');
    expect(schema.description, name).toBeTypeOf('string');
  });

  test('has a title for every member that people write, and a description for every object in it', () => {
    expect(members.length).toBeGreaterThan(10);
    // The texts of a language and the IDs of a list are explained by their parent.
    const vendorMembers = members.filter(
      ([location, { $ref }]) => $ref === undefined && !/\/(\*|\[\])$/.test(location),
    );
    expect(
      vendorMembers.filter(([, { title }]) => title === undefined).map(([location]) => location),
    ).toEqual([]);
    const objects = members.filter(([, { properties }]) => properties !== undefined);
    const undescribed = objects.filter(([, { title, description }]) => (title && description) === undefined);
    expect(undescribed.map(([location]) => location)).toEqual([]);
  });
});
