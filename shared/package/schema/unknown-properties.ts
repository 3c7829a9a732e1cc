import { pointerTo } from '../text/json-pointer.ts';
import { problemAt } from '../text/located-text.ts';
import type { LocatedNode, LocatedText } from '../text/located-text.ts';
import type { Problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';

/** What of a JSON Schema says which members there are. */
export interface MemberSchema {
  readonly title?: string;
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, MemberSchema>>;
  readonly items?: MemberSchema;
}

function warningOf(text: LocatedText, parent: string, name: string, known: readonly string[]): Problem {
  const meant = known.find((each) => each.toLowerCase() === name.toLowerCase());
  const hint = meant === undefined ? '' : ` Did you mean ${quoteText(meant)}? Names are case-sensitive.`;
  const detail = `The property ${quoteText(name)} is not known and was ignored.${hint}`;
  return problemAt(text, 'descriptor-property-unknown', pointerTo(parent, name), detail, 'key');
}

function collect(
  text: LocatedText,
  node: LocatedNode,
  schema: MemberSchema,
  pointer: string,
  problems: Problem[],
): void {
  const { properties, items } = schema;
  if (properties !== undefined) {
    const known = Object.keys(properties);
    for (const [name, member] of node.members ?? []) {
      const memberSchema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (memberSchema === undefined) problems.push(warningOf(text, pointer, name, known));
      else collect(text, member, memberSchema, `${pointer}/${name}`, problems);
    }
  }
  if (items === undefined) return;
  for (const [index, item] of (node.items ?? []).entries())
    collect(text, item, items, `${pointer}/${index}`, problems);
}

/** A warning for each member that the schema does not name, at every level that it describes; below an unknown one nothing is looked at. */
export function unknownProperties(text: LocatedText, schema: MemberSchema): readonly Problem[] {
  const problems: Problem[] = [];
  collect(text, text.root, schema, '', problems);
  return problems;
}
