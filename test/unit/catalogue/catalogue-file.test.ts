import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadCatalogue, openCatalogue } from '../../../shared/catalogue/catalogue.ts';
import { SettingsError } from '../../../shared/config/settings-reader.ts';

const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** What is wrong with a catalogue file. */
function issuesOf(text: string): readonly string[] {
  try {
    loadCatalogue(text);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.issues;
    throw error;
  }
}

test('every issue of a catalogue file is reported at once, with its line and column', () => {
  const text = `{
  "crops": [
    { "id": "x", "key": "fennel", "value": "Fennel", "colour": "green" },
    { "id": "${ID}", "value": " " }
  ],
  "my-set": [],
  "regions": {}
}`;
  expect(issuesOf(text)).toEqual([
    'CATALOGUE_FILE: line 3, column 13: crops[0].id must be a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301", and not the empty one; it is "x".',
    'CATALOGUE_FILE: line 3, column 54: The property "colour" is not known here.',
    'CATALOGUE_FILE: line 4, column 5: crops[1].key is missing.',
    'CATALOGUE_FILE: line 4, column 62: crops[1].value must be text that is not blank, without NUL characters and lone surrogates; it is " ".',
    'CATALOGUE_FILE: line 6, column 3: The name "my-set" must be letters and digits, with a letter first.',
    'CATALOGUE_FILE: line 7, column 14: regions must be an array; it is an object.',
  ]);
});

test('IDs and keys are unique in a set, names in the file, and the entries that the service needs are in their sets', () => {
  const other = ID.replace('3f', '4f');
  const text = `{
  "crops": [],
  "crops": [{ "id": "${ID}", "key": "a", "value": "A" }, { "id": "${ID.toUpperCase()}", "key": "a", "value": "B" }],
  "languages": [{ "id": "${other}", "key": "de", "value": "German" }]
}`;
  expect(issuesOf(text)).toEqual([
    'CATALOGUE_FILE: line 3, column 3: The key "crops" is duplicated.',
    'CATALOGUE_FILE: line 3, column 97: crops[1].id is that of an earlier entry of the set.',
    'CATALOGUE_FILE: line 3, column 144: crops[1].key is that of an earlier entry of the set.',
    'CATALOGUE_FILE: line 4, column 16: The set languages needs an entry with the key en.',
  ]);
});

test('only a language of the file can be recommended: the member is refused in another set, and if it is no boolean', () => {
  const entry = `"id": "${ID}", "key": "en", "value": "A", "recommended"`;
  expect(issuesOf(`{ "languages": [{ ${entry}: true }] }`)).toEqual([]);
  expect(issuesOf(`{ "crops": [{ ${entry}: true }], "languages": [{ ${entry}: "es" }] }`)).toEqual([
    expect.stringContaining('The property "recommended" is not known here.'),
    expect.stringContaining('languages[0].recommended must be true or false'),
  ]);
});

test.each([
  ['{', 'line 1, column 2: The text is not JSON.'],
  ['[]', 'line 1, column 1: The file must be an object; it is an array.'],
])('%j is no catalogue file', (text, issue) => {
  expect(issuesOf(text)).toEqual([expect.stringContaining(`CATALOGUE_FILE: ${issue}`)]);
});

test('a catalogue file that cannot be read is an issue of the setting', async () => {
  await expect(openCatalogue('/nowhere/catalogue.json')).rejects.toThrow(/CATALOGUE_FILE: ENOENT/);
});

test('the example in the guide for operators is valid, and keeps the shipped sets that it does not name', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/operators.md'), 'utf8');
  const [, section = ''] = page.split('\n## The IDs of the platform\n');
  const [, example = ''] = /^```json\n(.*?)^```$/ms.exec(section) ?? [];
  const catalogue = loadCatalogue(example);
  expect(catalogue.entry('currencies', 'EUR')?.id).toBe('0b0c6a52-7a0e-4d0e-9f0a-5d2d3c1b7e11');
  expect(catalogue.entry('crops', 'potato')).toEqual(loadCatalogue().entry('crops', 'potato'));
});
