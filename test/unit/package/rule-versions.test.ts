import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { alertRulesSchema } from '../../../shared/package/alert-rules/alert-rules-schema.ts';
import { moduleSchema } from '../../../shared/package/descriptor/module-schema.ts';
import { PACKAGE_PROBLEMS } from '../../../shared/package/problem-codes.ts';
import { RULE_VERSIONS, type PassedCheck } from '../../../shared/package/rule-versions.ts';
import { rolesEntitiesSchema } from '../../../shared/package/roles/roles-schema.ts';
import { canonicalJson } from '../../../shared/package/text/canonical-json.ts';

const SCHEMAS: Partial<Record<PassedCheck['name'], object>> = {
  descriptor: moduleSchema,
  roles: rolesEntitiesSchema,
  'alert-rules': alertRulesSchema,
};

/** The public part of each version of the rules: their codes with severities and explanations, and their schema. */
function fingerprintOf(name: PassedCheck['name']): string {
  const codes = Object.entries(PACKAGE_PROBLEMS).filter(([code]) => code.startsWith(`${name}-`));
  const rules = { codes: Object.fromEntries(codes), schema: SCHEMAS[name] ?? null };
  return createHash('sha256').update(canonicalJson(rules)).digest('hex').slice(0, 16);
}

test('rules that change get another version: increment it in rule-versions.ts, then record it here with -u', () => {
  const names = Object.keys(RULE_VERSIONS) as PassedCheck['name'][];
  const versions = names.map((name) => `${name} ${RULE_VERSIONS[name]} ${fingerprintOf(name)}`);
  expect(versions).toMatchInlineSnapshot(`
    [
      "archive 2 b730b98b6df3e2f9",
      "layout 4 52d51b86ac499f0c",
      "descriptor 6 5207c8870c9c2950",
      "roles 2 7b05d0e08c393340",
      "alert-rules 4 42485b8149b179e0",
      "registry 5 4247336606344114",
    ]
  `);
});

test('every code of the package rules is of rules that have a version', () => {
  const names = Object.keys(RULE_VERSIONS);
  const others = Object.keys(PACKAGE_PROBLEMS).filter(
    (code) => !names.some((name) => code.startsWith(`${name}-`)),
  );
  // Of the uploader and of the operator's check, not of the package.
  expect(others).toEqual(['auth-withdrawn', 'check-unavailable']);
});
