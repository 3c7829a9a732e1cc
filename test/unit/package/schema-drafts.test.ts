import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { alertRulesSchema } from '../../../shared/package/alert-rules/alert-rules-schema.ts';
import { moduleSchema } from '../../../shared/package/descriptor/module-schema.ts';
import { rolesEntitiesSchema } from '../../../shared/package/roles/roles-schema.ts';

describe('the published schemas', () => {
  const draft06: unknown = createRequire(import.meta.url)('ajv/dist/refs/json-schema-draft-06.json');

  test('the roles schema is of draft-06, and valid under it', () => {
    expect(rolesEntitiesSchema.$schema).toBe('http://json-schema.org/draft-06/schema#');
    const ajv = new Ajv({ meta: false });
    if (typeof draft06 !== 'object' || draft06 === null) throw new Error('no meta schema');
    ajv.addMetaSchema(draft06);
    expect(ajv.validateSchema(rolesEntitiesSchema)).toBe(true);
  });

  test('the other two are of draft-07, and valid under it', () => {
    for (const schema of [moduleSchema, alertRulesSchema]) {
      expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
      expect(new Ajv({ allowUnionTypes: true, validateFormats: false }).validateSchema(schema)).toBe(true);
    }
  });

  /** Every property schema, with its name. */
  function members(schema: unknown): [string, Record<string, unknown>][] {
    if (typeof schema !== 'object' || schema === null) return [];
    return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
      const own =
        key === 'properties' ? Object.entries(value as Record<string, Record<string, unknown>>) : [];
      return [...own, ...members(value)];
    });
  }

  test.each([
    ['module-schema', moduleSchema],
    ['roles-entities', rolesEntitiesSchema],
    ['alert-rules', alertRulesSchema],
  ])('every member of %s has a title, and no text is empty', (_name, schema) => {
    expect(schema.title).not.toBe('');
    expect(schema.description).not.toBe('');
    const found = members(schema).filter(
      ([, each]) => typeof each === 'object' && !('const' in each && Object.keys(each).length === 1),
    );
    expect(found.length).toBeGreaterThan(6);
    for (const [name, member] of found)
      expect([name, member['title']]).toEqual([name, expect.stringMatching(/\S/)]);
    expect(JSON.stringify(schema)).not.toMatch(/"(?:title|description)":""/);
  });
});
