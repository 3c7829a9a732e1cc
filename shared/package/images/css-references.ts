/*
 * A style sheet is searched, not parsed: each part where it could name a resource is looked at by
 * itself, comments and strings included, so no trick of quoting hides one from the search.
 */

/** CSS escapes undone: `\75 rl(` is `url(` (CSS Syntax 3, section 4.3.7). */
function withoutEscapes(css: string): string {
  return css.replace(
    /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\r\n\f])|([^]))/gi,
    (...groups: unknown[]) => {
      const [, hex, newline, other] = groups;
      if (typeof newline === 'string') return '';
      if (typeof other === 'string') return other;
      const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : 0;
      return code === 0 || code > 0x10ffff ? '\uFFFD' : String.fromCodePoint(code);
    },
  );
}

/** Images and fonts carried along as bytes; not SVG, which would have to be validated itself. */
const EMBEDDED =
  'data:(?:image/(?:png|jpe?g|gif|webp|avif)|font/[a-z0-9-]+|application/(?:x-)?font-[a-z0-9-]+)[;,]';
const INNER_REFERENCE = new RegExp(`^[\\0-\\x20]*(?:$|#|${EMBEDDED})`, 'i');
/** A url() whose target, behind blanks and quotes however many, is neither a fragment nor embedded. */
const OUTER_URL = new RegExp(`url\\([\\0-\\x20"']*(?![\\0-\\x20"'])(?!#|${EMBEDDED})`, 'i');

/** Escapes are undone one by one; no drawing needs this many characters of CSS with escapes. */
const MAX_ESCAPED_LENGTH = 1024 * 1024;

/** Whether a reference stays inside the document: nothing, a fragment, or embedded raster images and fonts. */
export function isInnerReference(reference: string): boolean {
  return INNER_REFERENCE.test(reference);
}

function issueIn(css: string, isStyleSheet: boolean): string | null {
  const text = css.toLowerCase();
  if (/@import/.test(text)) return 'an @import';
  if (/(?:javascript|vbscript):/.test(text)) return 'a script URL';
  if (/image-set\s*\(/.test(text)) return 'an image-set()';
  // As attributes these words are ordinary text, such as the label "image (2)".
  if (isStyleSheet && /(?:^|[^\w-])(?:image|src|cross-fade)\(/.test(text)) return 'an image() or src()';
  if (OUTER_URL.test(text)) return 'a url() that points outside the file';
  return null;
}

/** The reference of a style sheet, style attribute or presentation attribute to outside the file; null if none. */
export function outerReferenceIn(css: string, isStyleSheet: boolean): string | null {
  const issue = issueIn(css, isStyleSheet);
  if (issue !== null || !css.includes('\\')) return issue;
  if (css.length > MAX_ESCAPED_LENGTH) return 'more than 1 MiB of CSS with escapes';
  return issueIn(withoutEscapes(css), isStyleSheet);
}
