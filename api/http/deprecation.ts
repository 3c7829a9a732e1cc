import type { Response } from 'express';

/** A call that should no longer be used. */
export interface Deprecation {
  /** Since when; ISO 8601. */
  readonly at: string;
  /** When it stops working, at the earliest; ISO 8601. */
  readonly sunsetAt: string;
  /** The address of a page that says what to use instead. */
  readonly link: string;
}

/** The headers of every answer of a deprecated call, for the OpenAPI document. */
export const DEPRECATION_HEADERS = ['Deprecation', 'Sunset', 'Link?'] as const;

const SECOND_MS = 1_000;

/** Reports a deprecation in the answer (RFC 9745 and RFC 8594); without one, nothing. */
export function reportDeprecation(response: Response, deprecation: Deprecation | undefined): void {
  if (deprecation === undefined) return;
  const { at, sunsetAt, link } = deprecation;
  response.set({
    Deprecation: `@${Date.parse(at) / SECOND_MS}`,
    Sunset: new Date(sunsetAt).toUTCString(),
  });
  response.append('Link', `<${link}>; rel="deprecation"; type="text/html"`);
}
