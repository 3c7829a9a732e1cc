/** A text, the offset where its problem is, and the message; the text with what the message says done. */
type Edit = (text: string, at: number, detail: string) => string;

type Advice = readonly (readonly [sentence: string, edit: Edit])[];

function insert(text: string, at: number, added: string, removed = 0): string {
  return text.slice(0, at) + added + text.slice(at + removed);
}

function replaceFrom(text: string, at: number, pattern: RegExp, replacement: string): string {
  return text.slice(0, at) + text.slice(at).replace(pattern, replacement);
}

/** The brackets, braces and the quote that a JSON text lacks at its end. */
function closersOf(text: string): string {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, '');
  const open: string[] = [];
  for (const each of bare) {
    if (each === '{' || each === '[') open.unshift(each === '{' ? '}' : ']');
    if (each === '}' || each === ']') open.shift();
  }
  return (bare.includes('"') ? '"' : '') + open.join('');
}

const removeLine: Edit = (text, at) => {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return text.slice(0, start) + (end === -1 ? '' : text.slice(end + 1));
};

const SAVE_IN_UTF8: Advice[number] = ['Save the file in UTF-8', (text) => text.replaceAll('\uFFFD', 'ü')];
const REMOVE_KEY = 'is duplicated. Remove one of the two.';

/** The edits for a text that is not JSON. */
const JSON_ADVICE: Advice = [
  SAVE_IN_UTF8,
  // Parsing keeps the last of two equal keys.
  [REMOVE_KEY, (text) => JSON.stringify(JSON.parse(text), null, 2)],
  [
    'Remove the comma before the closing bracket',
    (text, at) => insert(text, text.lastIndexOf(',', at), '', 1),
  ],
  [
    'JSON has no comments. Remove this one',
    (text, at) => replaceFrom(text, at, /^(?:\/\/.*|\/\*.*?\*\/|#.*)/, ''),
  ],
  ['only true, false and null have none', (text, at) => replaceFrom(text, at, /^[\w$]+/, '"$&"')],
  ['Put names and texts into double quotes', (text, at) => replaceFrom(text, at, /^'(.*?)'/, '"$1"')],
  [
    'A comma, or a colon after a name, is missing before this',
    (text, at) => insert(text, at, /\{\s*"\w+"\s*$/.test(text.slice(0, at)) ? ':' : ','),
  ],
  ['The text ends too early', (text) => text + closersOf(text)],
  ['Replace this invisible character by a space', (text, at) => insert(text, at, ' ', 1)],
  ['Write a backslash in a text as two backslashes', (text, at) => insert(text, at, '\\')],
  [
    'without a plus sign and leading zeros, and with digits on both sides of a point',
    (text, at) => {
      let start = at;
      while (/[\d.+-]/.test(text.charAt(start - 1))) start -= 1;
      const [number = ''] = /^[-+]?[\d.]+/.exec(text.slice(start)) ?? [];
      return insert(text, start, String(Number(number)), number.length);
    },
  ],
  [
    'Write \\n for a line break, and \\t for a tab',
    (text, at) => insert(text, at, text[at] === '\t' ? '\\t' : '\\n', 1),
  ],
  ['has more than 200 characters. Shorten it', (text) => text.replace(/(\w{200})\w+/, '$1')],
];

/** The edits for a text that is not YAML as it is read. */
const YAML_ADVICE: Advice = [
  SAVE_IN_UTF8,
  [REMOVE_KEY, removeLine],
  ['contains more than one document. Remove this one', (text, at) => text.slice(0, at)],
  ['Remove the line with %YAML', (text) => text.replace(/^%YAML.*\n/m, '')],
  ['The directive is not read. Remove its line', removeLine],
  ['Use spaces', (text) => text.replaceAll('\t', '  ')],
  [
    'The tag is not known here or does not fit the value. Remove it',
    (text, at) => replaceFrom(text, at, /^!\S*\s*/, ''),
  ],
  ['Only core tags are read. Remove the tag', (text) => text.replace(/!<[^>]*>\s*/, '')],
  ['Write the value itself instead of the alias', (text, at) => replaceFrom(text, at, /\*\w+/, '60')],
  [
    'A key must be text. Put it into quotes',
    (text, at) => replaceFrom(text, at, /^(?:\[.*?\]|\{.*?\}|\*\w+)/, '"$&"'),
  ],
  ['end with a ]', (text) => `${text.trimEnd()}]\n`],
  ['has more than 200 characters. Shorten it', (text) => text.replace(/(\w{200})\w+/, '$1')],
];

function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.join('\n').length + (line > 1 ? 1 : 0) + column - 1;
}

/** The text as the message of its syntax problem tells the vendor to write it; null where the message names no edit. */
export function correctedText(
  kind: 'json' | 'yaml',
  text: string,
  { line = 1, column = 1, detail }: { line?: number; column?: number; detail: string },
): string | null {
  const advice = kind === 'json' ? JSON_ADVICE : YAML_ADVICE;
  const [, edit] = advice.find(([sentence]) => detail.includes(sentence)) ?? [];
  return edit?.(text, offsetOf(text, line, column), detail) ?? null;
}
