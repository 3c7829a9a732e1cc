import { crc32 } from 'node:zlib';

/** Little-endian numbers in a row: `[width in bytes, value]`. */
export function littleEndian(...parts: readonly (readonly [1 | 2 | 4 | 8, number])[]): Buffer {
  const bytes = Buffer.alloc(parts.reduce((sum, [width]) => sum + width, 0));
  let at = 0;
  for (const [width, value] of parts) {
    bytes.writeUIntLE(value % 2 ** (8 * Math.min(width, 4)), at, Math.min(width, 4));
    if (width === 8) bytes.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
    at += width;
  }
  return bytes;
}

/** An extra field (APPNOTE 4.5.1). */
export function extraField(id: number, data: Buffer): Buffer {
  return Buffer.concat([littleEndian([2, id], [2, data.length]), data]);
}

/** An Info-ZIP Unicode path extra field (APPNOTE 4.6.9). */
export function unicodePathField(path: string, headerName: Buffer, nameCrc32 = crc32(headerName)): Buffer {
  return extraField(0x7075, Buffer.concat([littleEndian([1, 1], [4, nameCrc32]), Buffer.from(path)]));
}
