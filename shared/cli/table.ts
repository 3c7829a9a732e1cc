import stringWidth from 'string-width';
import { showableText } from '../package/text/showable-text.ts';
import type { Style } from './output.ts';

const GAP = '  ';

/** Rows under headings, each column as wide as its widest cell. What a terminal would obey is escaped. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
): string {
  const shown = rows.map((row) => row.map(showableText));
  const widths = headings.map((heading, column) =>
    Math.max(stringWidth(heading), ...shown.map((row) => stringWidth(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - stringWidth(cell)))
      .join(GAP)
      .trimEnd();
  return [style('bold', line(headings)), ...shown.map(line), ''].join('\n');
}
