import type { PackageContent } from './package-report.ts';

/**
 * The rules by the first words of their codes, with their versions. A change that adds, removes or alters a rule
 * increments the version: a record names the rules that checked a package.
 */
export const RULE_VERSIONS = {
  archive: 2,
  layout: 4,
  descriptor: 6,
  roles: 2,
  'alert-rules': 4,
  registry: 5,
} as const;

/** Rules that checked a package. */
export interface PassedCheck {
  readonly name: keyof typeof RULE_VERSIONS;
  readonly version: number;
}

/** The rules that a package without errors has passed: those of roles and alert rules if it has such a file. */
export function passedChecks({ roles, alertRules }: PackageContent): readonly PassedCheck[] {
  const checked = (name: PassedCheck['name']): PassedCheck => ({ name, version: RULE_VERSIONS[name] });
  return [
    ...[checked('archive'), checked('layout'), checked('descriptor')],
    ...(roles === null ? [] : [checked('roles')]),
    ...(alertRules === null ? [] : [checked('alert-rules')]),
    checked('registry'),
  ];
}
