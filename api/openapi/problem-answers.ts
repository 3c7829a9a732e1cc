import { REQUEST_PROBLEMS } from '../http/request-problem-codes.ts';
import type { RequestProblemCode } from '../http/request-problem-codes.ts';
import type { Access, Operation } from './operation.ts';
import { ref } from './operation.ts';
import { answerHeaders } from './answer-headers.ts';
import problemExamples from './problem-examples.json' with { type: 'json' };

const OF_TOKEN: readonly RequestProblemCode[] = ['auth-token-invalid', 'unavailable'];
const OF_ORGANIZATION: readonly RequestProblemCode[] = [
  ...OF_TOKEN,
  'auth-forbidden',
  'not-found',
  'request-invalid',
];

const OF_ACCESS: Readonly<Record<Access, readonly RequestProblemCode[]>> = {
  probe: [],
  // While it stops, a process refuses whatever comes.
  public: ['unavailable'],
  anyToken: OF_TOKEN,
  operator: [...OF_TOKEN, 'auth-forbidden'],
  vendorMember: OF_ORGANIZATION,
  vendorAdmin: OF_ORGANIZATION,
  farmerMember: OF_ORGANIZATION,
  farmerAdmin: OF_ORGANIZATION,
  apiKey: [
    'auth-api-key-invalid',
    'auth-forbidden',
    'auth-data-area-missing',
    'rate-limited',
    'request-invalid',
    'unavailable',
  ],
};

/** Every problem that a call can be answered with, in the order of the alphabet. */
export function problemsOf({ access, problems = [] }: Operation): readonly RequestProblemCode[] {
  // What is no HTTP, or has a wrong percent sign, is refused before it is known which call it is.
  return [...new Set<RequestProblemCode>(['request-invalid', ...OF_ACCESS[access], ...problems])].toSorted();
}

const HEADERS: Readonly<Partial<Record<RequestProblemCode, readonly string[]>>> = {
  'auth-token-invalid': ['WWW-Authenticate'],
  'auth-api-key-invalid': ['WWW-Authenticate'],
  'rate-limited': ['Retry-After', 'RateLimit-Policy?', 'RateLimit?'],
  'request-invalid': ['RateLimit-Policy?', 'RateLimit?'],
  'request-too-large': ['RateLimit-Policy?', 'RateLimit?'],
  'auth-forbidden': ['RateLimit-Policy?', 'RateLimit?'],
  'auth-data-area-missing': ['RateLimit-Policy?', 'RateLimit?'],
  unavailable: ['Retry-After', 'RateLimit-Policy?', 'RateLimit?'],
  'import-deadline-exceeded': ['Retry-After', 'Location', 'Preference-Applied?'],
  'import-failed': ['Retry-After', 'Location', 'Preference-Applied?'],
  'import-still-running': ['Retry-After', 'Location', 'Preference-Applied?'],
  'import-rejected': ['Location?', 'Preference-Applied?'],
  'import-cancelled': ['Location', 'Preference-Applied?'],
  'registry-revision-changed': ['Location', 'Preference-Applied?'],
};

/** Headers of an answer with one of these problems: what not all of them have is not always there. */
function headersOf(codes: readonly RequestProblemCode[]): readonly string[] {
  const lists = codes.map((code) => HEADERS[code] ?? []);
  const names = [...new Set(lists.flat().map((each) => each.replace(/\?$/, '')))];
  return names.map((name) => (lists.every((list) => list.includes(name)) ? name : `${name}?`));
}

const EXAMPLES: Readonly<Record<string, unknown>> = problemExamples;

function answerOf(codes: readonly RequestProblemCode[], status: number): object {
  const examples = codes.flatMap((code) =>
    code in EXAMPLES ? [[code, { value: EXAMPLES[code] }] as const] : [],
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${REQUEST_PROBLEMS[code].explanation}`).join('\n\n'),
    headers: answerHeaders(['Cache-Control', ...headersOf(codes)]),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [ref('Problem')],
          properties: {
            type: { enum: codes.map((code) => `/problems/${code}`) },
            status: { const: status },
          },
        },
        ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
      },
    },
  };
}

/** Answers with problems, each written once and used by every call that can give it. */
export class ProblemAnswers {
  readonly #written = new Map<string, object>();

  /** References to the answers of a call, by status. */
  of(operation: Operation): Readonly<Record<string, object>> {
    const codes = problemsOf(operation);
    const statuses = [...new Set(codes.map((code) => REQUEST_PROBLEMS[code].status))];
    return Object.fromEntries(
      statuses.map((status) => {
        const own = codes.filter((code) => REQUEST_PROBLEMS[code].status === status);
        const name = own.join('.');
        if (!this.#written.has(name)) this.#written.set(name, answerOf(own, status));
        return [String(status), { $ref: `#/components/responses/${name}` }];
      }),
    );
  }

  /** What `components.responses` is to hold. */
  written(): Readonly<Record<string, object>> {
    return Object.fromEntries([...this.#written].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}
