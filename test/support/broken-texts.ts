import { EXAMPLE_ALERT_RULES } from './package-builder.ts';

/** Texts that are not YAML, or not of the subset that is read. */
export const BROKEN_YAML: readonly (readonly [title: string, text: string | Buffer])[] = [
  ['bytes that are not UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0xff])],
  ['a syntax error', 'schema: 1.1\ncriterias: [1, 2'],
  ['a tab as indentation', 'schema: 1.1\ncriterias:\n\ta: 1'],
  ['two documents', `${EXAMPLE_ALERT_RULES}---\nb: 2`],
  ['YAML 1.1', `%YAML 1.1\n---\n${EXAMPLE_ALERT_RULES}`],
  ['a future YAML version', `%YAML 1.3\n---\n${EXAMPLE_ALERT_RULES}`],
  ['a custom tag', 'schema: !mine 1.1'],
  ['a tag of YAML 1.1', 'schema: 1.1\ncriterias: !!set { a }'],
  ['a core tag that does not fit', 'schema: !!int 1.1'],
  ['a key that is not text', '? [a]\n: 1'],
  ['an alias as a key', '&a a: 1\n*a : 2'],
  ['an alias without an anchor', 'schema: *a'],
  ['an alias before its anchor', 'b: *a\nschema: &a 1.1'],
  ['an alias inside its own anchor', 'a: &a [*a]'],
];

/** Texts that are not JSON, and the position of the error. */
export const BROKEN_JSON: readonly (readonly [title: string, text: string, position: string])[] = [
  ['nothing', '', '1:1'],
  ['blanks', ' \n ', '1:1'],
  ['a cut object', '{"a":1', '1:7'],
  ['a cut string', '{"a":"b', '1:8'],
  ['a cut escape', '"\\', '1:3'],
  ['a trailing comma', '{"a":1,\n}', '2:1'],
  ['a comment', '// a\n{}', '1:1'],
  ['single quotes', "{'a':1}", '1:2'],
  ['a second value', '{} {}', '1:4'],
  ['a leading zero', '[01]', '1:2'],
  ['NaN', '[NaN]', '1:2'],
  ['an unknown escape', '"\\x41"', '1:2'],
  ['a blank that JSON does not allow', '\u00a01', '1:1'],
  ['an extra closing bracket', '[1]]', '1:4'],
  ['a bare word', '[truely]', '1:2'],
];
