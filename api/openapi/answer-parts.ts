import { type JsonSchema as Schema, keywordsOf } from '../http/schema.ts';
import { REQUEST_PROBLEMS, type RequestProblemCode } from '../http/request-problem-codes.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { problem } from '../http/problem-schema.ts';
import type { SchemaComponents } from './components.ts';
import problemExamples from './problem-examples.json' with { type: 'json' };

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
  'RateLimit-Policy': {
    description: 'The limits of the caller: `"name";q=quota;w=seconds` each.',
    schema: text,
  },
  RateLimit: {
    description: 'What is left of each limit: `"name";r=calls;t=seconds until all are left again`.',
    schema: text,
  },
  Deprecation: {
    description: 'Since when the call should not be used (RFC 9745): `@` and seconds.',
    schema: text,
  },
  Sunset: { description: 'When the call stops working, at the earliest (RFC 8594).', schema: text },
  'X-Accel-Buffering': { description: 'Disables buffering in proxies.', schema: text },
  Vary: {
    description: 'The header by which the answer differs: it is compressed for who accepts gzip.',
    schema: text,
  },
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

/** Every problem that an endpoint can answer with, in alphabetical order. */
export function problemsOf({ access, body, problems = [] }: Endpoint): readonly RequestProblemCode[] {
  const implied = [...access.problems, ...(body?.problems ?? [])];
  // Malformed HTTP and invalid percent encoding are refused before the endpoint is known.
  return [...new Set<RequestProblemCode>(['request-invalid', ...implied, ...problems])].toSorted();
}

const PROBLEM_HEADERS: Readonly<Partial<Record<RequestProblemCode, readonly string[]>>> = {
  'auth-token-invalid': ['WWW-Authenticate'],
  'auth-api-key-invalid': ['WWW-Authenticate'],
  'rate-limited': ['Retry-After'],
  unavailable: ['Retry-After'],
  'import-deadline-exceeded': ['Retry-After', 'Location', 'Preference-Applied?'],
  'import-failed': ['Retry-After', 'Location', 'Preference-Applied?'],
  'import-still-running': ['Retry-After', 'Location', 'Preference-Applied?'],
  'import-rejected': ['Location?', 'Preference-Applied?'],
  'import-cancelled': ['Location', 'Preference-Applied?'],
  'registry-revision-changed': ['Location?', 'Preference-Applied?'],
};

/** Headers of an answer with one of these problems; a header that not all of them have is optional. */
function headersOf(codes: readonly RequestProblemCode[]): readonly string[] {
  const lists = codes.map((code) => PROBLEM_HEADERS[code] ?? []);
  const names = [...new Set(lists.flat().map((each) => each.replace(/\?$/, '')))];
  return names.map((name) => (lists.every((list) => list.includes(name)) ? name : `${name}?`));
}

const EXAMPLES: Readonly<Record<string, unknown>> = problemExamples;

/** The keyword for the codes that an answer can have. All problems have one schema, so that clients get one type. */
export const PROBLEM_CODES = 'x-problem-codes';

/** Answers with problems, each defined once and referenced by every endpoint that returns it. */
export class ProblemAnswers {
  readonly #answers = new Map<string, object>();
  readonly #schemas: SchemaComponents;

  constructor(schemas: SchemaComponents) {
    this.#schemas = schemas;
  }

  /** References to the answers of an endpoint, by status. */
  of(endpoint: Endpoint): Readonly<Record<string, object>> {
    const codes = problemsOf(endpoint);
    const statuses = [...new Set(codes.map((code) => REQUEST_PROBLEMS[code].status))];
    return Object.fromEntries(
      statuses.map((status) => {
        const own = codes.filter((code) => REQUEST_PROBLEMS[code].status === status);
        const name = own.join('.');
        if (!this.#answers.has(name)) this.#answers.set(name, this.#answer(own));
        return [String(status), { $ref: `#/components/responses/${name}` }];
      }),
    );
  }

  /** All answers so far, by name. */
  all(): Readonly<Record<string, object>> {
    return Object.fromEntries([...this.#answers].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #answer(codes: readonly RequestProblemCode[]): object {
    const examples = codes.flatMap((code) =>
      code in EXAMPLES ? [[code, { value: EXAMPLES[code] }] as const] : [],
    );
    return {
      description: codes.map((code) => `\`${code}\`: ${REQUEST_PROBLEMS[code].explanation}`).join('\n\n'),
      headers: answerHeaders(['Cache-Control', 'RateLimit-Policy?', 'RateLimit?', ...headersOf(codes)]),
      [PROBLEM_CODES]: codes,
      content: {
        'application/problem+json': {
          schema: this.#schemas.of(keywordsOf(problem)),
          ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
        },
      },
    };
  }
}
