/** A text without the slashes that it ends in. A regular expression would take quadratic time on many slashes. */
export function withoutEndSlashes(text: string, slashes = '/'): string {
  let end = text.length;
  while (end > 0 && slashes.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
