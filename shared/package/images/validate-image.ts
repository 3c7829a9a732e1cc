import type { TextIssue } from '../text/located-text.ts';
import { type Problem, problem } from '../problem.ts';
import { namedTypeProblems } from '../documents/named-type.ts';
import { quoteText } from '../text/quote-value.ts';
import { rasterType } from './raster-image.ts';
import { looksLikeXml, svgIssues } from './svg-image.ts';

/** The SVG images of one package together: validating takes up to half a second for each MiB. */
export const MAX_SVG_BYTES = 32 * 1024 * 1024;

/**
 * Validates an image by its content: a raster image of the five types, or an SVG without anything live. `svgBytes` is
 * how much SVG the package had before; in the result it is how much this image adds, also if it is invalid.
 */
export function validateImage(content: Buffer, entry: string, svgBytes: number) {
  const mediaType = rasterType(content);
  if (mediaType !== null) return { mediaType, problems: namedTypeProblems(entry, mediaType), svgBytes: 0 };
  if (!looksLikeXml(content)) {
    const detail = `The content of ${quoteText(entry)} is not PNG, JPEG, GIF, WebP, AVIF or SVG. Save the image in one of these formats.`;
    return { mediaType: null, problems: [problem('layout-file-type', detail, { entry })], svgBytes: 0 };
  }
  if (svgBytes + content.length > MAX_SVG_BYTES) {
    const detail = `The SVG images of the package have more than ${MAX_SVG_BYTES} bytes together.`;
    const tooLarge = problem('layout-file-too-large', detail, { entry });
    return { mediaType: null, problems: [tooLarge], svgBytes: content.length };
  }
  const issues = svgIssues(content);
  const asProblem = ({ line, column, detail }: TextIssue): Problem =>
    problem('layout-file-type', detail, { entry, line, column });
  if (issues.length > 0)
    return { mediaType: null, problems: issues.map(asProblem), svgBytes: content.length };
  const type = 'image/svg+xml';
  return { mediaType: type, problems: namedTypeProblems(entry, type), svgBytes: content.length };
}
