import { fileValidator } from '../schema/validate-file.ts';
import { exactNumberIssue } from '../text/exact-number.ts';
import { pathLabel, pointerTo } from '../text/json-pointer.ts';
import { parseYaml } from '../text/parse-yaml.ts';
import { nodeAt, problemAt, type LocatedText, type TextIssue } from '../text/located-text.ts';
import type { Problem } from '../problem.ts';
import { isMembers, rootMember, type Members } from '../schema/read-members.ts';
import { unknownProperties } from '../schema/unknown-properties.ts';
import { alertRulesSchema, INPUT_KINDS, VERSION_PATTERN } from './alert-rules-schema.ts';

/** Validates the alert rule definition file. */
export const validateAlertRules = fileValidator({
  parse: parseAlertRules,
  schema: alertRulesSchema,
  syntaxCode: 'alert-rules-not-yaml',
  schemaCode: 'alert-rules-invalid',
  findMore: (text) => [
    ...partsOf(text).flatMap((part) => [...boundProblems(text, part), ...unusedProblems(text, part)]),
    ...unknownProperties(text, alertRulesSchema, 'alert-rules-property-unknown'),
  ],
});

const VERSION = new RegExp(VERSION_PATTERN);

/** Parses the file; a version that is written as text becomes the number. */
function parseAlertRules(entry: string, content: Buffer): LocatedText | TextIssue {
  const parsed = parseYaml(entry, content);
  if ('detail' in parsed) return parsed;
  const version = rootMember(parsed, 'schema');
  if (!isMembers(parsed.value) || typeof version !== 'string' || !VERSION.test(version)) return parsed;
  return { ...parsed, value: { ...parsed.value, schema: Number(version) } };
}

/** An input of a criterion, as the file has it. */
interface LocatedPart {
  readonly pointer: string;
  readonly part: Members;
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return isMembers(value) ? Object.entries(value) : [];
}

function partsOf(text: LocatedText): readonly LocatedPart[] {
  return entriesOf(rootMember(text, 'criterias')).flatMap(([identifier, criterion]) =>
    entriesOf(isMembers(criterion) ? criterion['parts'] : null).flatMap(([name, part]) =>
      isMembers(part)
        ? [{ pointer: pointerTo(pointerTo(pointerTo('/criterias', identifier), 'parts'), name), part }]
        : [],
    ),
  );
}

/** Bounds of one part: exact numbers, the smaller one first. */
function boundProblems(text: LocatedText, { pointer }: LocatedPart): Problem[] {
  const members = nodeAt(text, pointer)?.members;
  const textOf = (name: string) => members?.get(name)?.numberText ?? null;
  const wrong = (name: string, issue: string) => {
    const at = pointerTo(pointer, name);
    return problemAt(text, 'alert-rules-invalid', at, `${pathLabel(at)} must ${issue}.`);
  };
  const problems = ['min', 'max'].flatMap((name) => {
    const issue = exactNumberIssue(textOf(name) ?? '0');
    return issue === null ? [] : wrong(name, issue);
  });
  const [min, max] = [textOf('min'), textOf('max')];
  const isSwapped = min !== null && max !== null && Number(min) > Number(max);
  return isSwapped ? [...problems, wrong('max', 'not be below min')] : problems;
}

/** The only kind of input that has the property. */
const KIND_OF: Readonly<Record<string, (typeof INPUT_KINDS)[number]>> = {
  options: 'select',
  min: 'number',
  max: 'number',
  unit: 'number',
};

/** Properties that an input of its kind does not use. */
function unusedProblems(text: LocatedText, { pointer, part }: LocatedPart): Problem[] {
  const field = INPUT_KINDS.find((each) => each === part['field']);
  if (field === undefined) return [];
  return Object.entries(KIND_OF)
    .filter(([name, kind]) => Object.hasOwn(part, name) && kind !== field)
    .map(([name, kind]) => {
      const detail = `${name} is for inputs of the kind ${kind}; this one is of the kind ${field}, so it was ignored.`;
      return problemAt(text, 'alert-rules-property-unused', pointerTo(pointer, name), detail, 'key');
    });
}
