import { parse, type MemberNode, type ValueNode } from '@humanwhocodes/momoa';
import { decodeText, positionAt } from './decode-text.ts';
import { pointerTo } from './json-pointer.ts';
import {
  MAX_KEY_LENGTH,
  type KeyIssue,
  type LocatedNode,
  type LocatedText,
  type TextIssue,
} from './located-text.ts';

/** The parser recurses: a megabyte of `[` would end its stack. */
const MAX_DEPTH = 64;
/** Each value costs about 500 bytes and 2 µs with its position: a megabyte of `0,` would cost seconds. */
const MAX_VALUES = 50_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const FIRST_PRINTABLE = 0x20;

interface ScanIssue {
  readonly offset: number;
  readonly detail: string;
}

/** Offset of the quote that ends a string, or of the control character in it, or the text's end. */
function stringEnd(text: string, start: number): number {
  let offset = start + 1;
  for (; offset < text.length; offset += 1) {
    const unit = text.charCodeAt(offset);
    if (unit === QUOTE || unit < FIRST_PRINTABLE) return offset;
    if (unit === BACKSLASH) offset += 1;
  }
  return offset;
}

/** Finds input that the parser must not receive, without recursion: depth, number of values, raw control characters. */
function scan(text: string, maxValues: number): ScanIssue | null {
  let depth = 0;
  let values = 1;
  for (let offset = 0; offset < text.length; offset += 1) {
    const unit = text.charCodeAt(offset);
    if (unit === QUOTE) {
      offset = stringEnd(text, offset);
      // Momoa accepts control characters in strings; RFC 8259 section 7 does not.
      if (text.charCodeAt(offset) < FIRST_PRINTABLE) {
        return {
          offset,
          detail:
            'A string contains a control character that is not escaped. Write \\n for a line break, and \\t for a tab.',
        };
      }
    } else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH)
        return { offset, detail: `The text is nested more than ${MAX_DEPTH} levels deep.` };
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      depth -= 1;
    } else if (unit === COMMA) {
      values += 1;
      if (values > maxValues) return { offset, detail: `The text has more than ${maxValues} values.` };
    }
  }
  return null;
}

/** Turns the parser's tree into located nodes, and collects member names that are duplicated or too long. */
class Locator {
  readonly duplicateKeys: KeyIssue[] = [];
  readonly longKeys: KeyIssue[] = [];
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  node(node: ValueNode, pointer: string, key = node.loc.start): LocatedNode {
    const located = { value: node.loc.start, key, numberText: null, members: null, items: null };
    switch (node.type) {
      case 'Object':
        return { ...located, members: this.members(node.members, pointer) };
      case 'Array':
        return {
          ...located,
          items: node.elements.map((each, index) => this.node(each.value, pointerTo(pointer, index))),
        };
      case 'Number':
        return { ...located, numberText: this.text.slice(node.loc.start.offset, node.loc.end.offset) };
      case 'String':
      case 'Boolean':
      case 'Null':
      case 'NaN':
      case 'Infinity':
        return located;
    }
  }

  private members(members: readonly MemberNode[], pointer: string): ReadonlyMap<string, LocatedNode> {
    const located = new Map<string, LocatedNode>();
    for (const member of members) {
      const name = member.name.type === 'String' ? member.name.value : member.name.name;
      const issue = { name, pointer: pointerTo(pointer, name), ...member.name.loc.start };
      if (located.has(name)) this.duplicateKeys.push(issue);
      if (name.length > MAX_KEY_LENGTH) this.longKeys.push(issue);
      located.set(name, this.node(member.value, issue.pointer, member.name.loc.start));
    }
    return located;
  }
}

const ENDS_TOO_EARLY = 'The text ends too early: a quote, a bracket, a brace or a value is missing.';

/** Whether the parser stopped at a number as other languages allow it: `+1`, `.5`, `1.`, `01`. */
function isWithinNumber(last: string, rest: string): boolean {
  return last === '.' || /^\s*(?:[+.]|-?0\d)/.test(rest);
}

/**
 * The most likely problem where the parser stopped. The parser's own message would echo the text, which may be an
 * environment variable's value.
 */
function syntaxDetail(before: string, rest: string): string {
  const last = before.trimEnd().at(-1) ?? '';
  const next = rest.replace(/^[ \t\r\n]+/, '').charAt(0);
  if (next === '') return ENDS_TOO_EARLY;
  if (/\s/.test(next))
    return 'Replace this invisible character by a space: JSON has no blanks but spaces, tabs and line breaks.';
  if (next === '\\') return 'Write a backslash in a text as two backslashes.';
  if (isWithinNumber(last, rest))
    return 'Write the number without a plus sign and leading zeros, and with digits on both sides of a point.';
  if (last === ',' && (next === '}' || next === ']')) return 'Remove the comma before the closing bracket.';
  if (next === "'") return 'Put names and texts into double quotes.';
  if (next === '/' || next === '#') return 'JSON has no comments. Remove this one.';
  if (/[{["]/.test(next) && /["\]}\w]/.test(last))
    return 'A comma, or a colon after a name, is missing before this.';
  if (/[A-Za-z_$]/.test(next))
    return 'Put names and texts into double quotes; only true, false and null have none.';
  return 'Something else is expected here: check the brackets, commas and quotes before it.';
}

/** Where a text ends but for blanks of JSON: others, such as a no-break space, are an issue of their own. */
function endOf(text: string): number {
  let end = text.length;
  while (end > 0 && ' \t\r\n'.includes(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Whether nothing is wrong with the text but that something is missing at its end. */
function endsTooEarly(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    return /end of JSON input|Unterminated string/.test(message) || Number(position) >= endOf(text);
  }
}

/** How far before the parser's offset the issue is: it stops at the last character of `\u` and fewer than four digits. */
function unitsToBackslash(text: string, offset: number): number {
  const [escape = ' '] = /\\u[\da-f]{0,3}$/i.exec(text.slice(Math.max(offset - 4, 0), offset + 1)) ?? [];
  return escape.length - 1;
}

/** Where the parser stopped; the start of the text if it does not say. */
function syntaxIssue(error: unknown, text: string): TextIssue {
  if (endsTooEarly(text))
    return { ...positionAt(text, endOf(text)), detail: `The text is not JSON. ${ENDS_TOO_EARLY}` };
  const position = { line: 1, column: 1, offset: 0 };
  if (error instanceof Error) Object.assign(position, error);
  const { line, column, offset } = position;
  const back = unitsToBackslash(text, offset);
  const start = offset - back;
  const detail = `The text is not JSON. ${syntaxDetail(text.slice(0, start), text.slice(start))}`;
  return { line, column: column - back, detail };
}

/** Parses UTF-8 JSON (RFC 8259; a byte order mark is tolerated) and keeps where each value is. */
export function parseJson(entry: string, content: Buffer, maxValues = MAX_VALUES): LocatedText | TextIssue {
  const text = decodeText(content);
  if (typeof text !== 'string') return text;
  const tooMuch = scan(text, maxValues);
  if (tooMuch !== null) return { ...positionAt(text, tooMuch.offset), detail: tooMuch.detail };
  try {
    const { body } = parse(text, { mode: 'json' });
    // JSON.parse makes `__proto__` an ordinary own property.
    const value: unknown = JSON.parse(text);
    const locator = new Locator(text);
    const root = locator.node(body, '');
    return { entry, value, root, duplicateKeys: locator.duplicateKeys, longKeys: locator.longKeys };
  } catch (error) {
    return syntaxIssue(error, text);
  }
}
