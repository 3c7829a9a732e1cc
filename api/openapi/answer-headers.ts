import type { JsonSchema as Schema } from '../http/schema.ts';

interface HeaderText {
  readonly description: string;
  readonly schema: Schema;
}

const text = { type: 'string' };
const seconds = { type: 'integer', minimum: 0 };

/** Headers of answers, beside those that every answer has for the browser's safety. */
const HEADERS: Readonly<Record<string, HeaderText>> = {
  'X-Trace-Id': {
    description: 'Names the request in the logs; taken from `traceparent`, or made.',
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  },
  Location: { description: 'Address of what was made, or of the import.', schema: text },
  ETag: { description: 'Names this version of the answer.', schema: text },
  Link: { description: 'Address of the next page, as `rel="next"`.', schema: text },
  'Preference-Applied': { description: 'What of `Prefer` was heeded (RFC 7240).', schema: text },
  'Retry-After': { description: 'After how many seconds to try again.', schema: seconds },
  'WWW-Authenticate': { description: 'What the call needs (RFC 9110, 11.6.1).', schema: text },
  'Cache-Control': { description: 'Whether the answer may be kept, and how long.', schema: text },
  'Content-Disposition': {
    description: 'Raster images are shown in place; other files are saved.',
    schema: text,
  },
  'Content-Range': { description: 'Which bytes of how many.', schema: text },
  'Accept-Ranges': { description: '`bytes` where a range can be requested, else `none`.', schema: text },
  'RateLimit-Policy': { description: 'The limits of the key and of its organization.', schema: text },
  RateLimit: { description: 'What is left of them in this minute.', schema: text },
  'X-Accel-Buffering': { description: 'Asks proxies to pass events on at once.', schema: text },
  'Access-Control-Allow-Origin': { description: 'Pages of any origin may read it.', schema: text },
};

/** The headers of an answer: `X-Trace-Id` and those named; a question mark after a name: not always. */
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
