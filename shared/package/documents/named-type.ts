import { rasterType } from '../images/raster-image.ts';
import { mediaTypeOf } from '../layout/media-types.ts';
import { problem, type Problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';

/** The checked part: signatures are at the start of a file. */
const HEAD_BYTES = 1_024;
const ZIP_TYPES = [
  'application/zip',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
];
/** Types whose files start with a signature; `text/html` is none: a part of a page is one too. */
const SIGNED_TYPES = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'application/pdf',
  'application/rtf',
  ...ZIP_TYPES,
]);
const NAMES: Readonly<Record<string, string>> = {
  'application/pdf': 'a PDF',
  'application/rtf': 'RTF',
  'application/zip': 'a ZIP',
  'image/svg+xml': 'an SVG image',
  'text/html': 'HTML',
};

/** The media type of a file by its signature; null where it has none that is known. */
export function signedType(content: Buffer): string | null {
  const raster = rasterType(content);
  if (raster !== null) return raster;
  const head = content.toString('latin1', 0, HEAD_BYTES);
  // ISO 32000-1, annex H 3.4.1: readers accept the header anywhere in the first 1,024 bytes.
  if (head.includes('%PDF-')) return 'application/pdf';
  if (head.startsWith('PK\u0003\u0004')) return 'application/zip';
  if (head.startsWith('{\\rtf')) return 'application/rtf';
  return /^(?:\u00EF\u00BB\u00BF)?\s*<(?:!doctype\s+html|html)[\s>]/i.test(head) ? 'text/html' : null;
}

/** A warning where the content of a file is of another type than the extension of its name says. */
export function namedTypeProblems(entry: string, contentType: string | null): Problem[] {
  const named = mediaTypeOf(entry);
  const isSigned = SIGNED_TYPES.has(named);
  const isOther = contentType !== null && contentType !== named;
  const isZip = contentType === 'application/zip' && ZIP_TYPES.includes(named);
  // A text may contain anything; an extension that is not known says nothing.
  const differs = isSigned ? contentType !== named : isOther && named !== 'application/octet-stream';
  if (!differs || isZip) return [];
  const content = contentType === null ? 'something else' : (NAMES[contentType] ?? contentType);
  const detail = `${quoteText(entry)} is named like ${NAMES[named] ?? named}, but its content is ${content}.`;
  return [problem('layout-file-content', detail, { entry })];
}
