import type { SchemaPart } from './schema-parts.ts';
import type { LocatedText } from '../text/located-text.ts';

/** A JSON object whose members are not known yet. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a JSON text; null if it is not an object. A parser's message would repeat a part of the text. */
export function parseMembers(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text);
    return isMembers(value) ? value : null;
  } catch {
    return null;
  }
}

/** A member of a file's root object; undefined where the root is none. Only for names that no object inherits. */
export function rootMember(text: LocatedText, name: string): unknown {
  return isMembers(text.value) ? text.value[name] : undefined;
}

/** A value of a list, and its JSON Pointer. */
export interface LocatedItem<T> {
  readonly pointer: string;
  readonly item: T;
}

/** The values of a list in the root that pass the guard; empty where the member is not a list. */
export function rootItems<T>(
  text: LocatedText,
  name: string,
  guard: (item: unknown) => item is T,
): readonly LocatedItem<T>[] {
  const list: unknown = rootMember(text, name);
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, index) =>
    guard(item) ? [{ pointer: `/${name}/${index}`, item }] : [],
  );
}

/** The value without the optional members that are empty strings: for those, empty and absent are one. */
export function withoutEmptyMembers(schema: SchemaPart, value: unknown): unknown {
  const { properties, items, additionalProperties: others, required = [] } = schema;
  if (items !== undefined && Array.isArray(value))
    return value.map((each: unknown) => withoutEmptyMembers(items, each));
  if (typeof others === 'object' && isMembers(value))
    return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== ''));
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
