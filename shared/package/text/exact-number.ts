const MAX_SIGNIFICANT_DIGITS = 15;
const SMALLEST_NORMAL = 2 ** -1022;

/** The digits of a decimal number without leading and trailing zeros. */
function significantDigits(text: string): string {
  const digits = text.replace(/^[-+]/, '').replace(/e.*/i, '').replace('.', '').replace(/^0+/, '');
  // By a loop: the pattern 0+$ takes quadratic time where zeros are in the middle.
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/**
 * What the text of a number must do to have at most 15 significant digits and be in the range of doubles; null where it
 * does: then a JavaScript number has enough precision to be printed as the same number.
 */
export function exactNumberIssue(text: string): string | null {
  const digits = significantDigits(text);
  if (digits === '') return null;
  if (digits.length > MAX_SIGNIFICANT_DIGITS)
    return `have at most ${MAX_SIGNIFICANT_DIGITS} significant digits`;
  const size = Math.abs(Number(text));
  return size >= SMALLEST_NORMAL && size <= Number.MAX_VALUE
    ? null
    : 'be 0, or from 2.3e-308 to 1.7e308 in size';
}
