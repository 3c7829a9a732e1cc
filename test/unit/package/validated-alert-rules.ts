import { validateAlertRules } from '../../../shared/package/alert-rules/validate-alert-rules.ts';
import { formatProblems } from '../../support/package-builder.ts';

const ENTRY = 'AlertRuleDefinitionFile/rules.yaml';

/** The result of validating a text as the file of alert rules. */
export function validate(text: string | Buffer) {
  return validateAlertRules(ENTRY, Buffer.from(text));
}

/** Every problem of a text, one line each. */
export function problemsOf(text: string | Buffer): string[] {
  return formatProblems(validate(text).problems);
}

/** A file with one criterion that has these parts, in flow style on line 5. */
export function withParts(parts: string): string {
  return `schema: 1.1\ncriterias:\n  a:\n    displayName: { en: A }\n    parts: ${parts}\n`;
}
