import { expect, test } from 'vitest';

import { ByteReader } from '../../../../shared/package/archive/byte-reader.ts';

/** A stream of these texts, which reports when it is closed. */
function streamOf(...texts: readonly string[]): AsyncIterable<Buffer> & { isClosed: boolean } {
  return {
    isClosed: false,
    async *[Symbol.asyncIterator]() {
      try {
        for (const text of texts) yield await Promise.resolve(Buffer.from(text));
      } finally {
        this.isClosed = true;
      }
    },
  };
}

test('bytes are available without waiting only where they arrived in one piece', async () => {
  const reader = new ByteReader(streamOf('abc', 'def'));
  expect(reader.tryTake(1)).toBeUndefined();
  expect((await reader.take(1)).toString()).toBe('a');
  expect(reader.tryTake(3)).toBeUndefined();
  expect(reader.offset).toBe(1);
  expect(reader.tryTake(2)?.toString()).toBe('bc');
  expect(reader.offset).toBe(3);
  expect(reader.tryTake(0)).toHaveLength(0);
});

test('exactly the requested bytes are read, across pieces and empty pieces', async () => {
  const reader = new ByteReader(streamOf('ab', '', 'c', 'defg'));
  expect((await reader.take(5)).toString()).toBe('abcde');
  expect(reader.offset).toBe(5);
  expect((await reader.take(2)).toString()).toBe('fg');
  expect(reader.offset).toBe(7);
});

test('a partial read returns at least one byte and at most the requested number', async () => {
  const reader = new ByteReader(streamOf('', 'abc', 'd'));
  expect((await reader.takeSome(2)).toString()).toBe('ab');
  expect((await reader.takeSome(2)).toString()).toBe('c');
  expect((await reader.takeSome(2)).toString()).toBe('d');
  expect(reader.offset).toBe(4);
  await expect(reader.takeSome(1)).rejects.toThrow(new Error('the package source ended before its size'));
});

test.for<[texts: readonly string[], filled: readonly string[]]>([
  [[], ['']],
  [['abcd'], ['abcd', '']],
  [
    ['ab', '', 'cde'],
    ['abcd', 'e'],
  ],
  [
    ['abcdefgh', 'i'],
    ['abcd', 'efgh', 'i'],
  ],
])('a buffer of four bytes is filled with %j as far as they last: %j', async ([texts, filled]) => {
  const reader = new ByteReader(streamOf(...texts));
  const buffer = Buffer.alloc(4);
  for (const expected of filled) {
    const length = await reader.fill(buffer);
    expect(buffer.subarray(0, length).toString()).toBe(expected);
  }
  expect(reader.offset).toBe(texts.join('').length);
});

test('an error of the source is thrown where a buffer is filled', async () => {
  async function* breaking() {
    yield await Promise.resolve(Buffer.from('ab'));
    throw new Error('the client disconnected');
  }
  await expect(new ByteReader(breaking()).fill(Buffer.alloc(4))).rejects.toThrow('the client disconnected');
});

test('bytes before an offset are skipped', async () => {
  const reader = new ByteReader(streamOf('abc', 'def'));
  await reader.skipTo(4);
  expect(reader.offset).toBe(4);
  await reader.skipTo(4);
  await reader.skipTo(2);
  expect((await reader.take(2)).toString()).toBe('ef');
});

test('the source is closed when no more is needed', async () => {
  const stream = streamOf('abc', 'def');
  const reader = new ByteReader(stream);
  await reader.take(1);
  expect(stream.isClosed).toBe(false);
  await reader.close();
  expect(stream.isClosed).toBe(true);
});

test('a source that cannot be closed is not closed', async () => {
  const pieces = { next: () => Promise.resolve({ done: true as const, value: undefined }) };
  const reader = new ByteReader({ [Symbol.asyncIterator]: () => pieces });
  await expect(reader.close()).resolves.toBeUndefined();
});
