import { fileValidator } from '../schema/validate-file.ts';
import { isExactNumber } from '../text/exact-number.ts';
import { pathLabel, pointerTo } from '../text/json-pointer.ts';
import { parseYaml } from '../text/parse-yaml.ts';
import { problemAt, type LocatedNode, type LocatedText, type TextIssue } from '../text/located-text.ts';
import type { Problem } from '../problem.ts';
import { isMembers, rootMember } from '../schema/read-members.ts';
import { unknownProperties } from '../schema/unknown-properties.ts';
import { alertRulesSchema, VERSION_PATTERN } from './alert-rules-schema.ts';

/** Validates the alert rule definition file. */
export const validateAlertRules = fileValidator({
  parse: parseAlertRules,
  schema: alertRulesSchema,
  syntaxCode: 'alert-rules-not-yaml',
  schemaCode: 'alert-rules-invalid',
  findMore: (text) => [
    ...allBoundProblems(text),
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

/** Bounds of one part: exact numbers, the smaller one first. */
function boundProblems(text: LocatedText, { members }: LocatedNode, pointer: string): Problem[] {
  const textOf = (name: string) => members?.get(name)?.numberText ?? null;
  const wrong = (name: string, issue: string) => {
    const at = pointerTo(pointer, name);
    return problemAt(text, 'alert-rules-invalid', at, `${pathLabel(at)} must ${issue}.`);
  };
  const problems = ['min', 'max']
    .filter((name) => !isExactNumber(textOf(name) ?? '0'))
    .map((name) => wrong(name, 'have at most 15 significant digits'));
  const [min, max] = [textOf('min'), textOf('max')];
  const isSwapped = min !== null && max !== null && Number(min) > Number(max);
  return isSwapped ? [...problems, wrong('max', 'not be below min')] : problems;
}

function allBoundProblems(text: LocatedText): Problem[] {
  return [...(text.root.members?.get('criterias')?.members ?? [])].flatMap(([identifier, { members }]) =>
    [...(members?.get('parts')?.members ?? [])].flatMap(([name, part]) =>
      boundProblems(text, part, pointerTo(pointerTo(pointerTo('/criterias', identifier), 'parts'), name)),
    ),
  );
}
