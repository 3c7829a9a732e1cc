import { isUtf8 } from 'node:buffer';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { describeSchemaError } from '../../../shared/package/schema/describe-schema-error.ts';
import { describeValue, quoteText } from '../../../shared/package/text/quote-value.ts';
import { pointerTo } from '../../../shared/package/text/json-pointer.ts';
import { FORMATS, NAME, isStorable } from '../schema.ts';

const OPTIONS = { allowUnionTypes: true, verbose: true, formats: FORMATS };
const quick = new Ajv(OPTIONS).addVocabulary([NAME]);
// `allErrors` is safe here: the number of values is limited, and the patterns are linear.
const thorough = new Ajv({ ...OPTIONS, allErrors: true }).addVocabulary([NAME]);

/** For a larger body only the first schema error is reported: an error object for each of a million issues takes seconds. */
const MAX_VALUES_OF_THOROUGH_CHECK = 50_000;

/** The rest are only counted. */
export const MAX_REPORTED_ISSUES = 100;

/** Far more than any body needs; the parser accepts millions of levels, which would overflow the stack. */
const MAX_DEPTH = 64;

/** One issue of a body, with its location. */
export interface BodyIssue {
  /** JSON Pointer into the body. */
  readonly pointer?: string;
  readonly detail: string;
}

/** The issues of a body that are reported, and the number of all; without a list it cannot be read. */
export type BodyRefusal =
  { readonly refusal: string } | { readonly issues: readonly BodyIssue[]; readonly total: number };

/** The JSON of a body. */
export type ParsedBody = { readonly value: unknown } | { readonly refusal: string };

/** Parses a body as UTF-8; one of no bytes is an empty object. */
export function parseBody(bytes: Uint8Array): ParsedBody {
  if (!isUtf8(bytes)) return { refusal: 'The body is not UTF-8.' };
  try {
    return { value: bytes.length === 0 ? {} : JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    return { refusal: 'The body is not JSON.' };
  }
}

/** A body that fits its schema, or why it is refused. */
export type ValidatedBody<Value> = { readonly value: Value; readonly values: number } | BodyRefusal;

/** Makes the check of bodies against a schema and the rules that a schema cannot express. */
export function bodyCheck<Value>(schema: object): (body: unknown) => ValidatedBody<Value> {
  const isValid = quick.compile<Value>(schema);
  // Most bodies are valid: this is compiled when it is first needed.
  let findAll: ValidateFunction | null = null;
  return (body) => {
    const { issues, total, values } = textIssues(body);
    if (isValid(body) && total === 0) return { value: body, values };
    const isLarge = values > MAX_VALUES_OF_THOROUGH_CHECK;
    if (!isLarge) findAll ??= thorough.compile(schema);
    const errors = findAll === null || isLarge ? (isValid.errors ?? []) : findErrors(findAll, body);
    const unreported = MAX_REPORTED_ISSUES - issues.length;
    const reported = [...issues, ...errors.slice(0, unreported).map(issueOf)];
    return { issues: reported, total: total + errors.length };
  };
}

function findErrors(validate: ValidateFunction, body: unknown): readonly ErrorObject[] {
  validate(body);
  const errors = validate.errors ?? [];
  // An ID has a format and its pattern: one value that breaks both is one issue.
  const byPattern = new Set(
    errors.filter(({ keyword }) => keyword === 'pattern').map((each) => each.instancePath),
  );
  return errors.filter(({ keyword, instancePath }) => keyword !== 'format' || !byPattern.has(instancePath));
}

function issue(pointer: string, detail: string): BodyIssue {
  return { detail, pointer };
}

/** ajv points at the parent of a missing or unknown member; people look for the member. */
function issueOf(error: ErrorObject<string, Record<string, unknown>>): BodyIssue {
  const { instancePath, keyword, params } = error;
  const member: unknown =
    keyword === 'required'
      ? params['missingProperty']
      : keyword === 'additionalProperties'
        ? params['additionalProperty']
        : null;
  if (typeof member !== 'string') {
    const label =
      error.propertyName === undefined ? 'The value' : `The name ${quoteText(error.propertyName)}`;
    return issue(instancePath, `${label} ${describeSchemaError(error, describeValue(error.data))}.`);
  }
  const pointer = pointerTo(instancePath, member);
  return issue(pointer, keyword === 'required' ? 'The member is missing.' : 'There is no such member.');
}

interface TextIssues {
  /** The first of them, as many as are reported. */
  readonly issues: readonly BodyIssue[];
  readonly total: number;
  /** The number of values in the body. */
  readonly values: number;
}

/** Issues beyond the schema: text that the database cannot store (NUL, lone surrogates), and too many levels. */
function textIssues(body: unknown): TextIssues {
  const issues: BodyIssue[] = [];
  let total = 0;
  let values = 0;
  const location: (string | number)[] = [];
  // Pointers are created only for reported issues: a body may have a million members, each with an issue.
  const report = (detail: string) => {
    total += 1;
    if (issues.length < MAX_REPORTED_ISSUES) issues.push(issue(location.reduce(pointerTo, ''), detail));
  };
  const checkText = (text: string) => {
    if (!isStorable(text)) report('The text has a NUL or a lone surrogate.');
  };
  const visit = (value: unknown) => {
    values += 1;
    if (typeof value === 'string') checkText(value);
    if (typeof value !== 'object' || value === null) return;
    if (location.length === MAX_DEPTH) report(`The value is nested deeper than ${MAX_DEPTH} levels.`);
    else if (Array.isArray(value)) visitItems(value);
    else visitMembers(value as Readonly<Record<string, unknown>>);
  };
  const visitItems = (items: readonly unknown[]) => {
    for (const [index, item] of items.entries()) {
      location.push(index);
      visit(item);
      location.pop();
    }
  };
  const visitMembers = (members: Readonly<Record<string, unknown>>) => {
    for (const name in members) {
      location.push(name);
      checkText(name);
      visit(members[name]);
      location.pop();
    }
  };
  visit(body);
  return { issues, total, values };
}
