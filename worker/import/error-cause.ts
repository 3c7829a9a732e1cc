/** Longer texts say nothing more about a cause. */
const MAX_CHARACTERS = 2_000;
const MAX_CAUSES = 8;
const OMISSION = ' … ';

/** Secrets that errors of the database, the queue and the storage may quote. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  // User and password in an address.
  [/:\/\/[^\s/@"']*@/g, '://[secret]@'],
  // The query of an address: a signed one contains its signature.
  [/(https?:\/\/[^\s"'?]*)\?[^\s"']*/g, '$1?[secret]'],
  // Members and parameters with a telling name. Each repetition is bounded: an error may quote what a vendor wrote.
  [
    /((?:password|passwd|secret|token|signature|credential|authorization|api-?key|access-?key)[\w-]{0,64}["']?\s{0,8}[=:]\s{0,8})(?:(?:bearer|basic)\s+)?["']?[^\s"',;&]+/gi,
    '$1[secret]',
  ],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, '$1 [secret]'],
  [/\beyJ[\w-]{8,}\.[\w.-]+/g, '[secret]'],
  [/\bmm[kp]_[\w-]{8,}/g, '[secret]'],
];

/** NUL and lone surrogates, which a JSON column cannot store. */
const NOT_STORABLE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** An error with its causes as one text for operators, without secrets. */
export function errorCause(error: unknown): string {
  let text = causesOf(error).join(' ← ');
  for (const [form, replacement] of SECRETS) text = text.replaceAll(form, replacement);
  return shortened(text).replaceAll(NOT_STORABLE, '\uFFFD');
}

/** An error of the database quotes its statement first, and then says what is wrong. */
function shortened(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const half = MAX_CHARACTERS / 2;
  return `${text.slice(0, half - OMISSION.length)}${OMISSION}${text.slice(-half)}`;
}

/** Each error's name, code and message, the outermost first; all that an `AggregateError` collects. */
function causesOf(error: unknown): readonly string[] {
  const errors = new Set<unknown>([error]);
  // The loop also reads what it adds; an error that is its own cause is read once.
  for (const each of errors) {
    if (errors.size > MAX_CAUSES) break;
    if (each instanceof AggregateError) for (const one of each.errors as unknown[]) errors.add(one);
    if (each instanceof Error && each.cause !== undefined) errors.add(each.cause);
  }
  return [...new Set([...errors].slice(0, MAX_CAUSES).map(textOf))];
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  return message === '' ? `${name}${code}` : `${name}${code}: ${message}`;
}
