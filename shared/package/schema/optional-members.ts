import { isMembers } from './read-members.ts';

/** What of a JSON Schema decides which members are optional. */
export interface OptionalMembersSchema {
  readonly title?: string;
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, OptionalMembersSchema>>;
  readonly required?: readonly string[];
  readonly items?: OptionalMembersSchema;
}

/** The value without the optional members that are empty strings: for those, empty and absent are one. */
export function withoutEmptyMembers(schema: OptionalMembersSchema, value: unknown): unknown {
  const { properties, items, required = [] } = schema;
  if (items !== undefined && Array.isArray(value))
    return value.map((each: unknown) => withoutEmptyMembers(items, each));
  if (properties === undefined || !isMembers(value)) return value;
  const isKept = ([name, member]: [string, unknown]) =>
    member !== '' || required.includes(name) || !Object.hasOwn(properties, name);
  return Object.fromEntries(
    Object.entries(value)
      .filter(isKept)
      .map(([name, member]) => [
        name,
        Object.hasOwn(properties, name) ? withoutEmptyMembers(properties[name] ?? {}, member) : member,
      ]),
  );
}
