import type { AlertCriterion, AlertPart, AlertRules, LocalizedText } from './alert-rules.ts';
import { isExactNumber } from '../text/exact-number.ts';
import { pathLabel, pointerTo } from '../text/json-pointer.ts';
import { parseYaml } from '../text/parse-yaml.ts';
import { problemAt } from '../text/located-text.ts';
import type { PlacedNode, PlacedText } from '../text/located-text.ts';
import type { Problem } from '../problem.ts';
import { problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';
import { alertRulesSchema } from './alert-rules-schema.ts';
import { compileSchema, schemaProblems } from '../schema/validate-schema.ts';

type WrittenPart = Pick<AlertPart, 'field' | 'title'> & {
  readonly options?: Readonly<Record<string, LocalizedText>>;
  readonly min?: number;
  readonly max?: number;
  readonly unit?: string;
};

interface WrittenCriterion {
  readonly displayName: LocalizedText;
  readonly description?: LocalizedText;
  readonly parts: Readonly<Record<string, WrittenPart>>;
}

/** The file as it is written: members that are not required may be absent. */
interface WrittenAlertRules {
  readonly schema: number;
  readonly criterias: Readonly<Record<string, WrittenCriterion>>;
}

const isAlertRules = compileSchema<WrittenAlertRules>(alertRulesSchema);

/** The alert rule definitions of a file, or what is wrong with it. */
export interface JudgedAlertRules {
  readonly alertRules: AlertRules | null;
  readonly problems: readonly Problem[];
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function normalPart({ field, title, options, min, max, unit }: WrittenPart): AlertPart {
  return { field, title, options: options ?? null, min: min ?? null, max: max ?? null, unit: unit ?? null };
}

function normalCriterion({ displayName, description, parts }: WrittenCriterion): AlertCriterion {
  return { displayName, description: description ?? null, parts: mapValues(parts, normalPart) };
}

function keyProblems(text: PlacedText): Problem[] {
  const { entry } = text;
  const twice = text.duplicateKeys.map(({ name, pointer, line, column }) =>
    problem('alert-rules-not-yaml', `The key ${quoteText(name)} stands twice.`, {
      entry,
      pointer,
      line,
      column,
    }),
  );
  const long = text.longKeys.map(({ name, pointer, line, column }) =>
    problem('alert-rules-invalid', `The key ${quoteText(name)} has more than 200 characters.`, {
      entry,
      pointer,
      line,
      column,
    }),
  );
  return [...twice, ...long];
}

/** Bounds of one part: exact numbers, the smaller one first. */
function boundProblems(text: PlacedText, part: PlacedNode, pointer: string): Problem[] {
  const problems: Problem[] = [];
  const bounds = {
    min: part.members?.get('min')?.numberText ?? null,
    max: part.members?.get('max')?.numberText ?? null,
  };
  for (const [name, written] of Object.entries(bounds)) {
    if (written === null || isExactNumber(written)) continue;
    const at = pointerTo(pointer, name);
    problems.push(
      problemAt(text, 'alert-rules-invalid', at, `${pathLabel(at)} must have at most 15 significant digits.`),
    );
  }
  if (bounds.min !== null && bounds.max !== null && Number(bounds.min) > Number(bounds.max)) {
    const at = pointerTo(pointer, 'max');
    problems.push(problemAt(text, 'alert-rules-invalid', at, `${pathLabel(at)} must not be below min.`));
  }
  return problems;
}

function allBoundProblems(text: PlacedText): Problem[] {
  const problems: Problem[] = [];
  for (const [identifier, criterion] of text.root.members?.get('criterias')?.members ?? []) {
    for (const [name, part] of criterion.members?.get('parts')?.members ?? []) {
      const pointer = pointerTo(pointerTo(pointerTo('/criterias', identifier), 'parts'), name);
      problems.push(...boundProblems(text, part, pointer));
    }
  }
  return problems;
}

/** Judges the alert rule definition file. */
export function judgeAlertRules(entry: string, content: Buffer): JudgedAlertRules {
  const text = parseYaml(entry, content);
  if ('detail' in text) {
    const { line, column, detail } = text;
    return { alertRules: null, problems: [problem('alert-rules-not-yaml', detail, { entry, line, column })] };
  }
  const problems = keyProblems(text);
  // An over-long key would be repeated in the pointer of each error below it.
  if (text.longKeys.length > 0) return { alertRules: null, problems };
  problems.push(...allBoundProblems(text));
  const { value } = text;
  if (!isAlertRules(value)) {
    const style = { codeOf: () => 'alert-rules-invalid' as const, isSecret: () => false };
    return {
      alertRules: null,
      problems: [...problems, ...schemaProblems(text, isAlertRules.errors ?? [], style)],
    };
  }
  const { schema, criterias } = value;
  return {
    alertRules: problems.length > 0 ? null : { schema, criterias: mapValues(criterias, normalCriterion) },
    problems,
  };
}
