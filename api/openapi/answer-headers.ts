import type { JsonSchema as Schema } from '../http/schema.ts';

interface HeaderText {
  readonly description: string;
  readonly schema: Schema;
}

const text = { type: 'string' };
const seconds = { type: 'integer', format: 'int32', minimum: 0 };

/** Headers of answers, beside the security headers of every answer. */
const HEADERS: Readonly<Record<string, HeaderText>> = {
  'X-Trace-Id': {
    description: 'Identifies the request in the logs; from `traceparent`, or generated.',
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  },
  Location: { description: 'The address of the created resource, or of the import.', schema: text },
  ETag: { description: 'Identifies this version of the resource.', schema: text },
  Link: { description: 'The address of the next page, with `rel="next"`.', schema: text },
  'Preference-Applied': {
    description: 'The preference of `Prefer` that was applied (RFC 7240).',
    schema: text,
  },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: seconds },
  'WWW-Authenticate': { description: 'The required authentication (RFC 9110, 11.6.1).', schema: text },
  'Cache-Control': { description: 'Whether and how long the answer may be cached.', schema: text },
  'Content-Disposition': {
    description: '`inline` for raster images, `attachment` for other files.',
    schema: text,
  },
  'Content-Range': { description: 'The returned range and the total size.', schema: text },
  'Accept-Ranges': { description: '`bytes` if ranges are supported, otherwise `none`.', schema: text },
  'RateLimit-Policy': { description: 'The limits of the key and of its organization.', schema: text },
  RateLimit: { description: 'The remaining calls in this minute.', schema: text },
  'X-Accel-Buffering': { description: 'Disables buffering in proxies.', schema: text },
  'Access-Control-Allow-Origin': { description: 'Allows pages of any origin.', schema: text },
};

/** The headers of an answer: `X-Trace-Id` and the given ones; a question mark after a name means not always. */
export function answerHeaders(names: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    ['X-Trace-Id', ...names].map((each) => {
      const name = each.replace(/\?$/, '');
      const header = HEADERS[name];
      if (header === undefined) throw new Error(`the header ${name} is not described`);
      return [name, { ...header, required: name === each }];
    }),
  );
}
