import { describe, expect, test } from 'vitest';

import { readExtraFields, widen } from '../../../../shared/package/archive/extra-fields.ts';
import { extraField, littleEndian } from '../../../support/zip-bytes.ts';

const FULL = 0xffffffff;
const SUPERFLUOUS = 'the ZIP64 extra field has values that no field needs';
const CONTRADICTS = 'the ZIP64 extra field contradicts the header';

/** The data of a ZIP64 field with these values. */
function wide(...values: readonly number[]): Buffer {
  return littleEndian(...values.map((value) => [8, value] as const));
}

describe('ZIP64 values', () => {
  test('replace saturated ones, in the order of the header', () => {
    expect(widen([FULL, FULL, FULL], wide(1, 2, 3))).toEqual([1, 2, 3]);
    expect(widen([FULL, 5, 6], wide(2 ** 33))).toEqual([2 ** 33, 5, 6]);
    expect(widen([4, FULL, 6], wide(7))).toEqual([4, 7, 6]);
    expect(widen([4, 5, FULL], wide(7))).toEqual([4, 5, 7]);
    expect(widen([4, FULL, FULL], wide(7, 8))).toEqual([4, 7, 8]);
    expect(widen([FULL, FULL], wide(7, 8))).toEqual([7, 8]);
  });

  test('are not required where nothing is saturated', () => {
    expect(widen([1, 2, 3], undefined)).toEqual([1, 2, 3]);
    expect(widen([1, 2, 3], wide())).toEqual([1, 2, 3]);
  });

  test('that are saturated need the field, with a value for each', () => {
    const missing = 'a size or offset is said to be in a ZIP64 field that is not there';
    expect(widen([1, FULL, 3], undefined)).toBe(missing);
    expect(widen([1, FULL, 3], wide())).toBe('the ZIP64 extra field lacks a value');
    expect(widen([FULL, FULL, 3], wide(1))).toBe('the ZIP64 extra field lacks a value');
    expect(widen([FULL, 2, 3], wide(1).subarray(0, 7))).toBe('the ZIP64 extra field lacks a value');
  });

  test('that are not required must repeat the header, in its order', () => {
    expect(widen([1, 2, 3], wide(1))).toEqual([1, 2, 3]);
    expect(widen([1, 2, 3], wide(1, 2, 3))).toEqual([1, 2, 3]);
    expect(widen([FULL, 2, 3], wide(9, 2))).toEqual([9, 2, 3]);
    expect(widen([1, 2, 3], wide(4))).toBe(CONTRADICTS);
    expect(widen([1, 2, 3], wide(1, 4))).toBe(CONTRADICTS);
    expect(widen([FULL, 2, 3], wide(9, 2, 4))).toBe(CONTRADICTS);
  });

  test('that readers could mistake for others by their position are refused', () => {
    expect(widen([4, FULL, 6], wide(7, 6))).toBe(SUPERFLUOUS);
    expect(widen([4, 5, FULL], wide(7, 8))).toBe(SUPERFLUOUS);
    expect(widen([1, 2], wide(1, 2, 3))).toBe(SUPERFLUOUS);
    expect(widen([1, 2, 3], wide(1, 2, 3).subarray(0, 20))).toBe(SUPERFLUOUS);
  });

  test('may be followed by the disk number, which is 0', () => {
    const disk = (number: number) => littleEndian([4, number]);
    expect(widen([FULL, FULL, FULL], Buffer.concat([wide(1, 2, 3), disk(0)]))).toEqual([1, 2, 3]);
    expect(widen([FULL, 2, 3], Buffer.concat([wide(1), disk(0)]))).toEqual([1, 2, 3]);
    expect(widen([FULL, FULL, FULL], Buffer.concat([wide(1, 2, 3), disk(1)]))).toBe(SUPERFLUOUS);
    expect(widen([4, FULL, 6], Buffer.concat([wide(7), disk(0)]))).toBe(SUPERFLUOUS);
    expect(widen([FULL, FULL, FULL], Buffer.concat([wide(1, 2, 3), Buffer.alloc(3)]))).toBe(SUPERFLUOUS);
  });
});

describe('a row of extra fields', () => {
  const zip64 = extraField(1, wide(7));
  const path = extraField(0x7075, Buffer.from('path'));
  const unknown = extraField(0xcafe, Buffer.from('x'));

  test('finds ZIP64 and Unicode path at any position', () => {
    expect(readExtraFields(Buffer.concat([unknown, zip64, unknown, path]))).toEqual({
      zip64: wide(7),
      unicodePath: Buffer.from('path'),
      hasEncryption: false,
      issue: '',
    });
    expect(readExtraFields(Buffer.alloc(0))).toEqual({ hasEncryption: false, issue: '' });
    expect(readExtraFields(extraField(1, Buffer.alloc(0))).zip64).toHaveLength(0);
  });

  test('detects encryption, of either kind', () => {
    for (const id of [0x0017, 0x9901]) {
      expect(readExtraFields(extraField(id, Buffer.alloc(2))).hasEncryption).toBe(true);
      expect(readExtraFields(Buffer.concat([extraField(id, Buffer.alloc(2)), unknown])).hasEncryption).toBe(
        true,
      );
    }
    expect(readExtraFields(unknown).hasEncryption).toBe(false);
  });

  test('keeps the fields before an issue', () => {
    const past = 'an extra field runs past its end';
    const cut = Buffer.concat([zip64, path]).subarray(0, -1);
    expect(readExtraFields(cut)).toEqual({ zip64: wide(7), hasEncryption: false, issue: past });
    const twice = readExtraFields(Buffer.concat([path, zip64, path]));
    expect(twice.issue).toBe('the Unicode path extra field is duplicated');
    expect([twice.zip64, twice.unicodePath]).toEqual([wide(7), Buffer.from('path')]);
    expect(readExtraFields(Buffer.concat([zip64, zip64])).issue).toBe('the ZIP64 extra field is duplicated');
  });

  test('may be padded with up to three zero bytes', () => {
    const padded = (...bytes: readonly number[]) =>
      readExtraFields(Buffer.concat([unknown, Buffer.from(bytes)])).issue;
    expect([padded(0), padded(0, 0), padded(0, 0, 0)]).toEqual(['', '', '']);
    expect(padded(0, 0, 1)).toBe('bytes follow the last extra field');
    expect(padded(1)).toBe('bytes follow the last extra field');
    expect(padded(0, 0, 0, 0)).toBe('');
  });
});
