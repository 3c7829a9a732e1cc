import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Segment, packageBytes } from '../../../api/modules/module-package.ts';
import { bufferSource } from '../../../shared/package/archive/source.ts';

/** A package with files of these sizes, and the archive that they are in; each file follows a header. */
function packageOf(...sizes: readonly number[]) {
  const segments: Segment[] = [];
  const pieces: Buffer[] = [];
  const archive = Buffer.from(Array.from({ length: 10 + Math.max(...sizes) }, (_, index) => index % 251));
  for (const [index, size] of sizes.entries()) {
    const [header, packed] = [Buffer.from(`header ${index}`), archive.subarray(index, index + size)];
    segments.push(header, {
      path: `file ${index}`,
      dataOffset: index,
      ...{ packedBytes: size, packedCrc32: crc32(packed), sizeBytes: size, crc32: 0, method: 'stored' },
    });
    pieces.push(header, packed);
  }
  segments.push(Buffer.from('end'));
  const whole = Buffer.concat([...pieces, Buffer.from('end')]);
  const read = async (offset: number, length: number) => {
    const received: Buffer[] = [];
    for await (const piece of packageBytes(segments, bufferSource(archive), { offset, length }))
      received.push(piece);
    return Buffer.concat(received);
  };
  return { whole, read, pieces };
}

test('a range starts and ends at any byte of a package of short and empty files', async () => {
  const { whole, read } = packageOf(5, 0, 3);
  for (let offset = 0; offset < whole.length; offset += 1)
    for (let length = 1; offset + length <= whole.length; length += 1)
      expect((await read(offset, length)).equals(whole.subarray(offset, offset + length))).toBe(true);
});

test('a range starts and ends at each part of a package with a file that is read as a stream, and next to it', async () => {
  const { whole, read, pieces } = packageOf(4, 300_000, 2);
  let end = 0;
  const boundaries = [0, ...pieces.map(({ length }) => (end += length)), whole.length];
  const positions = new Set(boundaries.flatMap((each) => [each - 1, each, each + 1]));
  for (const from of positions)
    for (const to of positions)
      if (from >= 0 && from < to && to <= whole.length)
        expect((await read(from, to - from)).equals(whole.subarray(from, to))).toBe(true);
});
