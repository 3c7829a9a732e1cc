import { SATURATED_32, readUInt64 } from './byte-window.ts';

const ZIP64 = 0x0001;
const STRONG_ENCRYPTION = 0x0017;
const UNICODE_PATH = 0x7075;
const AES_ENCRYPTION = 0x9901;

/** The extra fields that change what an entry is; timestamps, owners and unknown ones do not. */
export interface ExtraFields {
  readonly zip64?: Buffer;
  readonly unicodePath?: Buffer;
  readonly hasEncryption: boolean;
  /** The problems of the fields as such; empty if there are none. */
  readonly issue: string;
}

const NO_FIELDS: ExtraFields = { hasEncryption: false, issue: '' };

/**
 * Reads a row of extra fields (APPNOTE 4.5.1). Up to three zero bytes after the last are the padding
 * that alignment tools leave, and mean nothing to any reader.
 */
export function readExtraFields(extra: Buffer): ExtraFields {
  if (extra.length === 0) return NO_FIELDS;
  const known: { zip64?: Buffer; unicodePath?: Buffer } = {};
  let hasEncryption = false;
  let at = 0;
  while (at + 4 <= extra.length) {
    const id = extra.readUInt16LE(at);
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (end > extra.length) return { ...known, hasEncryption, issue: 'an extra field runs past its end' };
    const key = id === ZIP64 ? 'zip64' : 'unicodePath';
    if (id === ZIP64 || id === UNICODE_PATH) {
      if (known[key] !== undefined) {
        const name = id === ZIP64 ? 'ZIP64' : 'Unicode path';
        return { ...known, hasEncryption, issue: `the ${name} extra field is duplicated` };
      }
      known[key] = extra.subarray(at + 4, end);
    }
    hasEncryption ||= id === STRONG_ENCRYPTION || id === AES_ENCRYPTION;
    at = end;
  }
  const isPadded = extra.subarray(at).every((byte) => byte === 0);
  return { ...known, hasEncryption, issue: isPadded ? '' : 'bytes follow the last extra field' };
}

/** Sizes of an entry, and the offset of its local header where the directory has it. */
export type Extent = readonly [sizeBytes: number, packedBytes: number, headerOffset?: number];

/**
 * Puts the ZIP64 field's values (APPNOTE 4.5.3) in place of the saturated ones. Some readers take the
 * field's values by their position and not by need, so values that are there unasked must be the same.
 * Returns the problem as text.
 */
export function widen<Sizes extends Extent>(narrow: Sizes, field: Buffer | undefined): Sizes | string;
export function widen(narrow: readonly number[], field: Buffer | undefined): readonly number[] | string {
  if (field === undefined) {
    return narrow.includes(SATURATED_32)
      ? 'a size or offset is said to be in a ZIP64 field that is not there'
      : narrow;
  }
  const wide = [...narrow];
  let at = 0;
  let isByPosition = true;
  for (const [index, value] of narrow.entries()) {
    if (value !== SATURATED_32) continue;
    if (at + 8 > field.length) return 'the ZIP64 extra field lacks a value';
    isByPosition &&= at === index * 8;
    wide[index] = readUInt64(field, at);
    at += 8;
  }
  if (at === field.length) return wide;
  for (
    let index = at / 8;
    isByPosition && index < narrow.length && at + 8 <= field.length;
    index++, at += 8
  ) {
    if (readUInt64(field, at) !== wide[index]) return 'the ZIP64 extra field contradicts the header';
  }
  const endsInDisk = field.length - at === 4 && field.readUInt32LE(at) === 0;
  const isWhole = at === field.length || endsInDisk;
  return isByPosition && isWhole ? wide : 'the ZIP64 extra field has values that no field needs';
}
