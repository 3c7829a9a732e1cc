import stringWidth from 'string-width';
import { decodeText } from '../package/text/decode-text.ts';
import { showableText } from '../package/text/showable-text.ts';

/** The maximum share of the width to the left of the position, if a line is cut. */
const LEFT_SHARE = 0.6;
const CUT = '…';

/** The lines of a file as its parsers count them. */
export function linesOf(content: Buffer): readonly string[] {
  const text = decodeText(content);
  return (typeof text === 'string' ? text : content.toString('utf8')).split('\n');
}

/** A printable line: tabs become two blanks, and control characters are escaped. */
function shown(text: string): string {
  return showableText(text.replaceAll('\t', '  ').replace(/\r$/, ''));
}

/**
 * A line for a terminal, cut around a position if it is wider than `width` columns, and the number of columns before the
 * position. `column` is 1-based, in UTF-16 code units.
 */
export function excerptOf(line: string, column: number, width: number) {
  // A minified file is one line of a megabyte: text far from the position is skipped.
  const from = Math.max(0, column - 1 - width);
  const before = shown(line.slice(from, column - 1));
  const after = shown(line.slice(column - 1, column - 1 + width));
  const left = tailOf(before, Math.floor(width * LEFT_SHARE), from > 0);
  const caretColumns = stringWidth(left);
  const right = headOf(after, width - caretColumns, column - 1 + width < line.length);
  return { text: left + right, caretColumns };
}

function tailOf(text: string, columns: number, isCut: boolean): string {
  const characters = Array.from(text);
  const kept = fitting(characters.toReversed(), columns).toReversed();
  return (isCut || kept.length < characters.length ? CUT : '') + kept.join('');
}

function headOf(text: string, columns: number, isCut: boolean): string {
  if (!isCut && stringWidth(text) <= columns) return text;
  return fitting(Array.from(text), columns - 1).join('') + CUT;
}

/** The first characters, as many as fit. */
function fitting(characters: readonly string[], columns: number): readonly string[] {
  let rest = columns;
  const end = characters.findIndex((character) => (rest -= stringWidth(character)) < 0);
  return end === -1 ? characters : characters.slice(0, end);
}
