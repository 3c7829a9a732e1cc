/** A part of the archive in memory, addressed by offsets in the whole archive. */
export interface ByteWindow {
  readonly bytes: Buffer;
  /** Where the part starts in the archive. */
  readonly offset: number;
}

/** The value of a 16-bit field when its value is in a ZIP64 record (APPNOTE 4.4.1.4). */
export const SATURATED_16 = 0xffff;

/** The value of a 32-bit field when its value is in a ZIP64 record or field (APPNOTE 4.4.1.4). */
export const SATURATED_32 = 0xffffffff;

/**
 * An unsigned 64-bit number, little-endian. Over 2^53 it is rounded, which is far above every bound
 * that it is then compared with.
 */
export function readUInt64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at);
}
