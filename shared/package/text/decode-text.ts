import { isUtf8 } from 'node:buffer';
import type { TextIssue, TextPosition } from './located-text.ts';

/** The position of an offset in a text, counted in UTF-16 code units. */
export function positionAt(text: string, offset: number): TextPosition {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}

/** Offset of the first byte that is not UTF-8. */
function firstInvalidByte(content: Buffer): number {
  const again = Buffer.from(content.toString('utf8'), 'utf8');
  let offset = 0;
  while (offset < content.length && content[offset] === again[offset]) offset += 1;
  // The decoded text has U+FFFD there, with whose first bytes the broken sequence may begin too.
  while (isContinuationByte(again[offset])) offset -= 1;
  return offset;
}

function isContinuationByte(byte = 0): boolean {
  return byte >> 6 === 0b10;
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Bytes as UTF-8 text without a byte order mark; an issue where they are not UTF-8. */
export function decodeText(content: Buffer): string | TextIssue {
  if (isUtf8(content)) return withoutByteOrderMark(content.toString('utf8'));
  const before = withoutByteOrderMark(content.subarray(0, firstInvalidByte(content)).toString('utf8'));
  return { ...positionAt(before, before.length), detail: 'The text is not UTF-8. Save the file in UTF-8.' };
}
