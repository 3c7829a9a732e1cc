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
function boundProblems(text: LocatedText, part: LocatedNode, pointer: string): Problem[] {
  const problems: Problem[] = [];
  const bounds = {
    min: part.members?.get('min')?.numberText ?? null,
    max: part.members?.get('max')?.numberText ?? null,
  };
  for (const [name, bound] of Object.entries(bounds)) {
    if (bound === null || isExactNumber(bound)) continue;
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

function allBoundProblems(text: LocatedText): Problem[] {
  const problems: Problem[] = [];
  for (const [identifier, criterion] of text.root.members?.get('criterias')?.members ?? []) {
    for (const [name, part] of criterion.members?.get('parts')?.members ?? []) {
      const pointer = pointerTo(pointerTo(pointerTo('/criterias', identifier), 'parts'), name);
      problems.push(...boundProblems(text, part, pointer));
    }
  }
  return problems;
}
