import type { TextIssue } from '../text/located-text.ts';
import type { Problem } from '../problem.ts';
import { problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';
import { rasterType } from './raster-image.ts';
import { looksLikeXml, svgIssues } from './svg-image.ts';

/** The media type of an image, or what is wrong with it. */
export type ValidatedImage = { readonly mediaType: string } | { readonly problems: readonly Problem[] };

/** Validates an image by its content: a raster image of the five types, or an SVG without anything live. */
export function validateImage(entry: string, content: Buffer): ValidatedImage {
  const mediaType = rasterType(content);
  if (mediaType !== null) return { mediaType };
  if (!looksLikeXml(content)) {
    const detail = `${quoteText(entry)} is not an image: PNG, JPEG, GIF, WebP, AVIF and SVG are detected by their content.`;
    return { problems: [problem('layout-file-type', detail, { entry })] };
  }
  const issues = svgIssues(content);
  if (issues.length === 0) return { mediaType: 'image/svg+xml' };
  const asProblem = ({ line, column, detail }: TextIssue): Problem =>
    problem('layout-file-type', detail, { entry, line, column });
  return { problems: issues.map(asProblem) };
}
