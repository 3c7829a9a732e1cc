import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { json, present } from '../../../../api/http/answer.ts';
import { page } from '../../../../api/http/pagination.ts';
import { dateTime, namedObject, orNull, text } from '../../../../api/http/schema.ts';

const thing = namedObject('Thing', 'A thing.', {
  name: text('Its name.'),
  createdAt: dateTime('When it was made.'),
  endedAt: orNull(dateTime('When it ended.')),
  note: Type.Optional(text('A note.')),
});
const row = { secret: 's', endedAt: null, createdAt: new Date('2026-01-02T03:04:05.678Z'), name: 'a' };
const TEXT = '{"name":"a","createdAt":"2026-01-02T03:04:05.678+00:00","endedAt":null}';

test('a row is presented by the members of the schema, in their order, with dates as text', () =>
  expect(JSON.stringify(present(thing, row))).toBe(TEXT));

test('an answer of JSON leaves out what its schema does not have', () =>
  expect(JSON.stringify(json('A thing.', thing).present?.(row))).toBe(TEXT));

test('a page presents its items, and is named after them', () => {
  const answer = page(thing, 'old things', { brief: 'things' });
  expect(JSON.stringify(answer.present?.({ items: [row], nextCursor: 'c' }))).toBe(
    `{"items":[${TEXT}],"nextCursor":"c"}`,
  );
  expect(answer.description).toBe('A page of things.');
  expect(answer.forms?.['application/json']?.schema).toMatchObject({
    'x-name': 'ThingPage',
    description: 'A page of old things.',
  });
});

test('a schema without members presents a value as it is', () =>
  expect(json('Anything.', Type.Unsafe<object>({ type: 'object' })).present?.(row)).toBe(row));
