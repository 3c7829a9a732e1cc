import { expect, test } from 'vitest';
import { resumedBody } from '../../../shared/storage/resumed-body.ts';

const OBJECT = Buffer.from('0123456789abcdefghij');

/** Connections to an object, each of which breaks off after so many bytes; the rest of them hold. */
function connections(...breakAfter: readonly number[]) {
  const asked: string[] = [];
  const left = [...breakAfter];
  const open = (offset: number, length: number) => {
    asked.push(`${offset}+${length}`);
    return Promise.resolve(bytes(offset, length, left.shift() ?? Infinity));
  };
  async function* bytes(offset: number, length: number, holdsFor: number): AsyncGenerator<Buffer> {
    await Promise.resolve();
    for (let at = offset; at < offset + length; at += 4) {
      const end = Math.min(at + 4, offset + length, offset + holdsFor);
      if (end > at) yield OBJECT.subarray(at, end);
      if (end >= offset + holdsFor) throw new Error('the connection broke');
    }
  }
  return { open, asked };
}

async function read(offset: number, length: number, ...breakAfter: readonly number[]) {
  const { open, asked } = connections(...breakAfter);
  const pieces: Buffer[] = [];
  const first = await open(offset, length);
  for await (const piece of resumedBody(first, open, offset, length)) pieces.push(piece);
  return { text: Buffer.concat(pieces).toString(), asked };
}

test('a body that comes whole is asked for once', async () => {
  expect(await read(0, 20)).toEqual({ text: OBJECT.toString(), asked: ['0+20'] });
});

test('a body that breaks off is asked for again from where it broke, and no byte comes twice', async () => {
  expect(await read(3, 15, 6, 1, 0)).toEqual({
    text: '3456789abcdefgh',
    asked: ['3+15', '9+9', '10+8', '10+8'],
  });
});

test('a body that ends early without an error is asked for again too', async () => {
  const { open, asked } = connections();
  async function* short(): AsyncGenerator<Buffer> {
    await Promise.resolve();
    yield OBJECT.subarray(0, 5);
  }
  const pieces: Buffer[] = [];
  for await (const piece of resumedBody(short(), open, 0, 20)) pieces.push(piece);
  expect([Buffer.concat(pieces).toString(), asked]).toEqual([OBJECT.toString(), ['5+15']]);
});

test('a body that breaks off again and again is given up', async () => {
  await expect(read(0, 20, 1, 1, 1, 1, 1, 1)).rejects.toThrow('the connection broke');
});

test('what fails when all bytes have come is no break', async () => {
  await expect(read(0, 20, 20)).rejects.toThrow('the connection broke');
});

test('whoever stops reading closes the connection', async () => {
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
