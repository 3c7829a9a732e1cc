import { validateAlertRules } from '../../../shared/package/alert-rules/validate-alert-rules.ts';
import { tellProblems } from '../../support/package-builder.ts';

const ENTRY = 'AlertRuleDefinitionFile/rules.yaml';

/** What is found of a text in place of the file of alert rules. */
export function judged(text: string | Buffer) {
  return validateAlertRules(ENTRY, Buffer.from(text));
}

/** Every problem of a text on a line. */
export function told(text: string | Buffer): string[] {
  return tellProblems(judged(text).problems);
}

/** A file with one criterion that has the given parts, in flow style on line 5. */
export function withParts(parts: string): string {
  return `schema: 1.1\ncriterias:\n  a:\n    displayName: { en: A }\n    parts: ${parts}\n`;
}
