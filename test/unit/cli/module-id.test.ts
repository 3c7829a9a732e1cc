import { expect, test } from 'vitest';
import { withModuleId } from '../../../shared/cli/module-id.ts';

const ID = '4f0e6c1d-9d5b-4a55-8d11-0b8b0c0e8a10';
const ADDED = `"moduleId": "${ID}"`;

const withId = (text: string) => withModuleId(Buffer.from(text), ID);

test.each([
  ['two spaces', '{\n  "schema": "1.0"\n}\n', `{\n  ${ADDED},\n  "schema": "1.0"\n}\n`],
  ['tabs and CR LF', '{\r\n\t"schema": "1.0"\r\n}', `{\r\n\t${ADDED},\r\n\t"schema": "1.0"\r\n}`],
  ['one line', '{ "schema": "1.0" }', `{ ${ADDED}, "schema": "1.0" }`],
  ['no space', '{"schema":"1.0"}', `{"moduleId":"${ID}","schema":"1.0"}`],
  ['a byte order mark', '\ufeff\n {\n"a": 1}', `\ufeff\n {\n${ADDED},\n"a": 1}`],
])('a missing moduleId becomes the first member, with the indentation of the next: %s', (_, text, edited) =>
  expect(withId(text)).toBe(edited),
);

test.each([['null'], ['""'], ['"00000000-0000-0000-0000-000000000000"']])(
  'the value %s is replaced, wherever it is, and no other byte',
  (empty) => {
    const around = (value: string) =>
      `{\n  "translations": [ { "moduleId": null, "a\\"b": 1.50 } ],\n\n  "moduleId" :  ${value} , "z": 1e3 }`;
    expect(withId(around(empty))).toBe(around(`"${ID}"`));
    expect(withId(`\ufeff${around(empty)}`)).toBe(`\ufeff${around(`"${ID}"`)}`);
  },
);

test.each([
  ['names another module', '{ "moduleId": "7f0e6c1d-9d5b-4a55-8d11-0b8b0c0e8a10" }'],
  ['is no JSON', '{ "schema": }'],
  ['is no object', '[]'],
])('a file that %s is not edited', (_, text) => expect(withId(text)).toBeNull());
