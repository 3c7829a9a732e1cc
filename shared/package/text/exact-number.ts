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
 * Whether the text of a number has at most 15 significant digits and is in the range of
 * doubles: then a JavaScript number has enough precision to be printed as the same number.
 */
export function isExactNumber(text: string): boolean {
  const digits = significantDigits(text);
  if (digits === '') return true;
  const size = Math.abs(Number(text));
  return digits.length <= MAX_SIGNIFICANT_DIGITS && size >= SMALLEST_NORMAL && size <= Number.MAX_VALUE;
}
