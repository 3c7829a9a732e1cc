import { pointerTo } from '../text/json-pointer.ts';
import { problemAt, type LocatedNode, type LocatedText } from '../text/located-text.ts';
import type { SchemaPart } from './schema-parts.ts';
import type { Problem } from '../problem.ts';
import { nearNameHint } from '../text/near-name.ts';
import { quoteText } from '../text/quote-value.ts';

type UnknownPropertyCode = 'descriptor-property-unknown' | 'alert-rules-property-unknown';

interface Search {
  readonly text: LocatedText;
  readonly code: UnknownPropertyCode;
  readonly problems: Problem[];
}

function warningOf({ text, code }: Search, parent: string, name: string, known: readonly string[]): Problem {
  const detail = `The property ${quoteText(name)} is not known and was ignored.${nearNameHint(name, known)}`;
  return problemAt(text, code, pointerTo(parent, name), detail, 'key');
}

function collect(search: Search, node: LocatedNode, schema: SchemaPart, pointer: string): void {
  const { properties, items, additionalProperties: others } = schema;
  if (properties !== undefined) {
    const known = Object.keys(properties);
    for (const [name, member] of node.members ?? []) {
      const memberSchema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (memberSchema === undefined) search.problems.push(warningOf(search, pointer, name, known));
      else collect(search, member, memberSchema, pointerTo(pointer, name));
    }
  } else if (typeof others === 'object') {
    for (const [name, member] of node.members ?? [])
      collect(search, member, others, pointerTo(pointer, name));
  }
  if (items === undefined) return;
  for (const [index, item] of (node.items ?? []).entries())
    collect(search, item, items, `${pointer}/${index}`);
}

/** A warning for each member that the schema does not name, at every level that it describes; below an unknown one nothing is looked at. */
export function unknownProperties(
  text: LocatedText,
  schema: SchemaPart,
  code: UnknownPropertyCode,
): readonly Problem[] {
  const problems: Problem[] = [];
  collect({ text, code, problems }, text.root, schema, '');
  return problems;
}
