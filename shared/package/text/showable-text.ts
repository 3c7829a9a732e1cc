/** Controls, format characters (text direction, zero width, tags), line and paragraph separators. */
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const EVERY_UNSHOWABLE = new RegExp(UNSHOWABLE, 'gu');

/** Text with each character escaped that cannot be shown, or changes how a terminal or a reader displays the line. */
export function showableText(text: string): string {
  if (!UNSHOWABLE.test(text)) return text;
  return text.replace(EVERY_UNSHOWABLE, (each) => `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`);
}

/** JSON in which such characters are escaped: another text of the same value, safe for a terminal. */
export function showableJson(json: string): string {
  return json
    .split('\n')
    .map((line) => line.replace(EVERY_UNSHOWABLE, jsonEscape))
    .join('\n');
}

function jsonEscape(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((unit) => `\\u${unit}`).join('');
}
