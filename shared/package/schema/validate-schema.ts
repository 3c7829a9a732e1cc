import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import { pathLabel, pointerTo, segmentsOf } from '../text/json-pointer.ts';
import { problemAt, type LocatedText } from '../text/located-text.ts';
import type { PackageProblemCode } from '../problem-codes.ts';
import type { Problem } from '../problem.ts';
import { describeValue, quoteText } from '../text/quote-value.ts';
import { describeSchemaError, meantTextHint, patternMeaning } from './describe-schema-error.ts';
import { nearNameHint } from '../text/near-name.ts';
import { TEXT_FORMATS } from '../text/text-formats.ts';
import type { XStatic } from 'typebox/schema';

/*
 * All errors are collected, which is safe because the texts are bounded in bytes, values and depth
 * before, and every pattern is linear. Own properties only: `constructor` is not a member of `{}`.
 */
const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  ownProperties: true,
  allowUnionTypes: true,
  strictRequired: false,
});
ajv.addMetaSchema(draft06);
for (const format of TEXT_FORMATS) ajv.addFormat(format.name, format.accepts);

/** Compiles a schema once, as a guard for the type that it describes. */
export function compileSchema<const Schema extends object>(
  schema: Schema,
): ValidateFunction<XStatic<Schema>> {
  return ajv.compile<XStatic<Schema>>(schema);
}

/** The form of problems: the code for a pointer, and whether the value there may be shown. */
export interface ProblemStyle {
  readonly codeOf: (pointer: string) => PackageProblemCode;
  readonly isSecret: (pointer: string) => boolean;
}

/** Problems of one file; a text of a hundred kilobytes can have more than a hundred thousand. */
const MAX_PROBLEMS = 1_000;

/** One violation of a schema, before it has a code. */
interface Finding {
  readonly pointer: string;
  readonly part: 'value' | 'key';
  readonly detail: string;
}

/** Keywords whose errors only say that a part of theirs failed, which has its own error. */
const OUTER_KEYWORDS: ReadonlySet<string> = new Set(['if', 'propertyNames']);

/** Where an error points (ajv points at the parent for missing, unknown and ill-named members), and what it says. */
function findingOf(
  error: ErrorObject<string, Record<string, unknown>>,
  isSecret: ProblemStyle['isSecret'],
): Finding | null {
  const { keyword, instancePath, params, propertyName } = error;
  if (OUTER_KEYWORDS.has(keyword)) return null;
  if (keyword === 'required') {
    const pointer = pointerTo(instancePath, String(params['missingProperty']));
    return { pointer, part: 'value', detail: `${pathLabel(pointer)} is missing.` };
  }
  if (keyword === 'additionalProperties') {
    const name = String(params['additionalProperty']);
    const detail = unknownNameDetail(name, error);
    return { pointer: pointerTo(instancePath, name), part: 'key', detail };
  }
  const label = propertyName === undefined ? labelOf(instancePath) : `The name ${quoteText(propertyName)}`;
  const pointer = propertyName === undefined ? instancePath : pointerTo(instancePath, propertyName);
  const shown = propertyName !== undefined || isSecret(pointer) ? null : describeValue(error.data);
  const detail = `${label} ${describeSchemaError(error, shown)}.${meantTextHint(error)}`;
  return { pointer, part: propertyName === undefined ? 'value' : 'key', detail };
}

/** Where the schema names no properties, it has a pattern for their names. */
function unknownNameDetail(name: string, { parentSchema }: ErrorObject): string {
  const schema: Readonly<Record<string, unknown>> = parentSchema ?? {};
  const namesIn = (keyword: string) => Object.keys(schema[keyword] ?? {});
  const [pattern] = namesIn('patternProperties');
  if (pattern !== undefined) return `The name ${quoteText(name)} must be ${patternMeaning(pattern)}.`;
  return `The property ${quoteText(name)} is not known here.${nearNameHint(name, namesIn('properties'))}`;
}

function labelOf(pointer: string): string {
  return segmentsOf(pointer).length === 0 ? 'The file' : pathLabel(pointer);
}

/** The violations behind a failed validation: one for each location up to a thousand, in words of our own. */
export function schemaFindings(
  errors: readonly ErrorObject<string, Record<string, unknown>>[],
  isSecret: ProblemStyle['isSecret'],
): readonly Finding[] {
  const findings = new Map<string, Finding>();
  for (const error of errors) {
    if (findings.size === MAX_PROBLEMS) break;
    const finding = findingOf(error, isSecret);
    if (finding !== null && !findings.has(finding.pointer)) findings.set(finding.pointer, finding);
  }
  return [...findings.values()];
}

/** The same, as problems of a file in a package. */
export function schemaProblems(
  text: LocatedText,
  errors: readonly ErrorObject<string, Record<string, unknown>>[],
  { codeOf, isSecret }: ProblemStyle,
): readonly Problem[] {
  return schemaFindings(errors, isSecret).map(({ pointer, part, detail }) =>
    problemAt(text, codeOf(pointer), pointer, detail, part),
  );
}
