import { expect, test } from 'vitest';
import { resumedBody } from '../../../shared/storage/s3-storage.ts';

const OBJECT = Buffer.from('0123456789abcdefghij');

/** Connections to an object, each of which breaks off after this many bytes; the remaining ones do not break. */
function connections(...breakAfter: readonly number[]) {
  const requested: string[] = [];
  const left = [...breakAfter];
  const open = (offset: number, length: number) => {
    requested.push(`${offset}+${length}`);
    return Promise.resolve(bytes(offset, length, left.shift() ?? Infinity));
  };
  async function* bytes(offset: number, length: number, breaksAfter: number): AsyncGenerator<Buffer> {
    await Promise.resolve();
    for (let at = offset; at < offset + length; at += 4) {
      const end = Math.min(at + 4, offset + length, offset + breaksAfter);
      if (end > at) yield OBJECT.subarray(at, end);
      if (end >= offset + breaksAfter) throw new Error('the connection broke');
    }
  }
  return { open, requested };
}

async function read(offset: number, length: number, ...breakAfter: readonly number[]) {
  const { open, requested } = connections(...breakAfter);
  const pieces: Buffer[] = [];
  const first = await open(offset, length);
  for await (const piece of resumedBody(first, open, offset, length)) pieces.push(piece);
  return { text: Buffer.concat(pieces).toString(), requested };
}

test('a body that arrives whole is requested once', async () => {
  expect(await read(0, 20)).toEqual({ text: OBJECT.toString(), requested: ['0+20'] });
});

test('a body that breaks off is requested again from where it broke, and no byte arrives twice', async () => {
  expect(await read(3, 15, 6, 1, 0)).toEqual({
    text: '3456789abcdefgh',
    requested: ['3+15', '9+9', '10+8', '10+8'],
  });
});

test('a body that ends early without an error is requested again too', async () => {
  const { open, requested } = connections();
  async function* short(): AsyncGenerator<Buffer> {
    await Promise.resolve();
    yield OBJECT.subarray(0, 5);
  }
  const pieces: Buffer[] = [];
  for await (const piece of resumedBody(short(), open, 0, 20)) pieces.push(piece);
  expect([Buffer.concat(pieces).toString(), requested]).toEqual([OBJECT.toString(), ['5+15']]);
});

test('a body that breaks off again and again fails', async () => {
  await expect(read(0, 20, 1, 1, 1, 1, 1, 1)).rejects.toThrow('the connection broke');
});

test('an error after the last byte is ignored', async () => {
  await expect(read(0, 20, 20)).rejects.toThrow('the connection broke');
});

test('the connection closes when the reader stops', async () => {
  let isClosed = false;
  async function* body(): AsyncGenerator<Buffer> {
    await Promise.resolve();
    try {
      for (;;) yield OBJECT;
    } finally {
      isClosed = true;
    }
  }
  const { open } = connections();
  for await (const piece of resumedBody(body(), open, 0, 1_000)) if (piece.length > 0) break;
  expect(isClosed).toBe(true);
});
