/** The raster image types that a package may contain. */
export type RasterType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif';

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function textAt(content: Buffer, offset: number, length: number): string {
  return content.toString('latin1', offset, offset + length);
}

/** PNG specification: signature, then an IHDR chunk of 13 bytes with a size that is not zero. */
function isPng(content: Buffer): boolean {
  return (
    content.length >= 33 &&
    content.subarray(0, 8).equals(PNG_SIGNATURE) &&
    content.readUInt32BE(8) === 13 &&
    textAt(content, 12, 4) === 'IHDR' &&
    content.readUInt32BE(16) > 0 &&
    content.readUInt32BE(20) > 0
  );
}

/** SOF0 to SOF15 but for DHT, JPG and DAC, which share the range. */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Segments and fill bytes before the frame; a file of ten megabytes of them would take a tenth of a second. */
const MAX_JPEG_STEPS = 10_000;

/** The `ftyp` box names some brands of four bytes each. */
const MAX_BRANDS_BYTES = 4 * 1024;

/** ISO 10918-1 annex B: SOI, then segments up to a start of frame with a size that is not zero. */
function isJpeg(content: Buffer): boolean {
  if (content.length < 4 || content.readUInt16BE(0) !== 0xffd8) return false;
  let offset = 2;
  for (let step = 0; step < MAX_JPEG_STEPS; step += 1) {
    if (offset + 9 > content.length || content[offset] !== 0xff) return false;
    const marker = content.readUInt8(offset + 1);
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    // Lines may be 0 (given later by DNL); samples per line may not.
    if (isStartOfFrame(marker)) return content.readUInt16BE(offset + 7) > 0;
    if (marker < 0xc0 || marker === 0xda) return false;
    // The length counts itself: 0 or 1 would lead to its own first byte, which is not a marker.
    offset += 2 + content.readUInt16BE(offset + 2);
  }
  return false;
}

/** GIF87a or GIF89a with a logical screen that is not empty. */
function isGif(content: Buffer): boolean {
  return (
    content.length >= 13 &&
    ['GIF87a', 'GIF89a'].includes(textAt(content, 0, 6)) &&
    content.readUInt16LE(6) > 0 &&
    content.readUInt16LE(8) > 0
  );
}

/** A RIFF container that is not cut off and starts with one of the three VP8 chunks. */
function isWebp(content: Buffer): boolean {
  return (
    content.length >= 20 &&
    textAt(content, 0, 4) === 'RIFF' &&
    content.readUInt32LE(4) <= content.length - 8 &&
    textAt(content, 8, 4) === 'WEBP' &&
    ['VP8 ', 'VP8L', 'VP8X'].includes(textAt(content, 12, 4))
  );
}

/** An ISO base media file whose `ftyp` box names AVIF, followed by another box. */
function isAvif(content: Buffer): boolean {
  if (textAt(content, 4, 4) !== 'ftyp') return false;
  const boxBytes = content.readUInt32BE(0);
  if (boxBytes < 16 || boxBytes > MAX_BRANDS_BYTES || boxBytes % 4 !== 0) return false;
  if (boxBytes + 8 > content.length) return false;
  const words = textAt(content, 8, boxBytes - 8).match(/.{4}/gs) ?? [];
  // The second word is the minor version, not a brand.
  return words.some((word, index) => index !== 1 && (word === 'avif' || word === 'avis'));
}

/** The type of a raster image by its content; null when it is none of the five. */
export function rasterType(content: Buffer): RasterType | null {
  if (isPng(content)) return 'image/png';
  if (isJpeg(content)) return 'image/jpeg';
  if (isGif(content)) return 'image/gif';
  if (isWebp(content)) return 'image/webp';
  return isAvif(content) ? 'image/avif' : null;
}
