import { expect, test } from 'vitest';
import { structureTexts } from '../../../api/structures/structure-texts.ts';
import type { StructureForm, StructureRow } from '../../../shared/db/structures/read-structures.ts';

const KINDS = { F: 'farm', D: 'field', B: 'block', S: 'irrigationStation' } as const;

/** Rows from a short form: `F1 D2 B3- S4`, where a minus means archived. */
function rows(text: string): StructureRow[] {
  return text.split(' ').map((word) => ({
    kind: KINDS[word.charAt(0) as keyof typeof KINDS],
    isArchived: word.endsWith('-'),
    json: `{"id":${word.replaceAll(/\D/g, '')}}`,
  }));
}

function textOf(short: string, form: StructureForm = 'nested', withArchived = false): unknown {
  const text = structureTexts(form, withArchived)();
  const pieces = rows(short).map((row) => text.next(row));
  return JSON.parse(`[${pieces.join('')}${text.end()}]`);
}

test('fields are in their farm, blocks in their field, stations in their farm', () =>
  expect(textOf('F1 D2 B3 B4 D5 S6 S7 F8')).toEqual([
    {
      id: 1,
      fields: [
        { id: 2, blocks: [{ id: 3 }, { id: 4 }] },
        { id: 5, blocks: [] },
      ],
      irrigationStations: [{ id: 6 }, { id: 7 }],
    },
    { id: 8, fields: [], irrigationStations: [] },
  ]));

test('a farm without fields keeps its stations', () =>
  expect(textOf('F1 S2')).toEqual([{ id: 1, fields: [], irrigationStations: [{ id: 2 }] }]));

test('archived structures are omitted with everything in them', () =>
  expect(textOf('F1 D2- B3 D4 B5- B6 S7- F8- D9 B10 S11 F12')).toEqual([
    { id: 1, fields: [{ id: 4, blocks: [{ id: 6 }] }], irrigationStations: [] },
    { id: 12, fields: [], irrigationStations: [] },
  ]));

test('archived structures are included on request', () =>
  expect(textOf('F1- D2- B3-', 'nested', true)).toEqual([
    { id: 1, fields: [{ id: 2, blocks: [{ id: 3 }] }], irrigationStations: [] },
  ]));

test('features are a flat list, without archived structures and those inside them', () =>
  expect(textOf('F1 D2- B3 D4 B5 S6 F7- D8', 'features')).toEqual([
    { id: 1 },
    { id: 4 },
    { id: 5 },
    { id: 6 },
  ]));

test('features of several organizations form one list', () => {
  const newText = structureTexts('features', false);
  const pieces = ['F1 D2', 'F3'].map((short) => {
    const text = newText();
    return rows(short)
      .map((row) => text.next(row))
      .join('');
  });
  expect(JSON.parse(`[${pieces.join('')}]`)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
});

test('no structures are an empty text', () => expect(structureTexts('nested', false)().end()).toBe(''));
