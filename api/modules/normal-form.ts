import { Type } from 'typebox';
import { alertRulesSchema } from '../../shared/package/alert-rules/alert-rules-schema.ts';
import type { AlertRules } from '../../shared/package/alert-rules/alert-rules.ts';
import type { StoredDescriptor, Translation } from '../../shared/package/descriptor/descriptor.ts';
import { moduleSchema } from '../../shared/package/descriptor/module-schema.ts';
import type { RolesEntities } from '../../shared/package/roles/roles-entities.ts';
import { rolesEntitiesSchema } from '../../shared/package/roles/roles-schema.ts';
import { isObject, NAME, namedSchema, type JsonSchema } from '../http/schema.ts';

type Properties = Readonly<Record<string, JsonSchema>>;

function propertiesOf(value: unknown): Properties {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (isObject(each) ? [[name, each]] : [])),
  );
}

/** Keywords that the normal form does not have. */
const OMITTED: ReadonlySet<string> = new Set(['$schema', 'title', 'definitions', 'if', 'then']);

/**
 * The schema of a package's file in normal form: every member is present, null if the file omits it, and lists are
 * never null. `definitions` are inlined.
 */
function normalForm(schema: JsonSchema, root: JsonSchema = schema): JsonSchema {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = reference.replace('#/definitions/', '');
    return { ...normalForm(propertiesOf(root['definitions'])[name] ?? {}, root), [NAME]: name };
  }
  const rest: JsonSchema = Object.fromEntries(
    Object.entries(schema).filter(
      ([name]) => !OMITTED.has(name) && (name !== 'required' || 'properties' in schema),
    ),
  );
  const inner = (value: unknown) => (isObject(value) ? normalForm(value, root) : value);
  return {
    ...rest,
    ...('type' in rest && { type: withoutNullLists(rest['type']) }),
    ...('items' in rest && { items: inner(rest['items']) }),
    ...('additionalProperties' in rest && { additionalProperties: inner(rest['additionalProperties']) }),
    ...('patternProperties' in rest && { patternProperties: normalProperties(rest, root) }),
    ...('properties' in rest && normalMembers(rest, root)),
  };
}

function withoutNullLists(type: unknown): unknown {
  return Array.isArray(type) && type.includes('array') ? 'array' : type;
}

function normalProperties({ patternProperties }: JsonSchema, root: JsonSchema): Properties {
  return Object.fromEntries(
    Object.entries(propertiesOf(patternProperties)).map(([name, each]) => [name, normalForm(each, root)]),
  );
}

function normalMembers(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  const members = Object.entries(propertiesOf(schema['properties'])).map(([name, each]) => {
    const member = normalForm(each, root);
    return [name, required.includes(name) ? member : withNull(member)] as const;
  });
  return { properties: Object.fromEntries(members), required: members.map(([name]) => name) };
}

function withNull(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  return typeof type === 'string' && type !== 'array' ? { ...schema, type: [type, 'null'] } : schema;
}

/** The schema without these members. */
function without(schema: JsonSchema, ...names: readonly string[]): JsonSchema {
  const kept = Object.entries(propertiesOf(schema['properties'])).filter(([name]) => !names.includes(name));
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  return {
    ...schema,
    properties: Object.fromEntries(kept),
    required: required.filter((each) => typeof each !== 'string' || !names.includes(each)),
  };
}

/** The schema of a member. @throws Error if there is none. */
function memberOf(schema: JsonSchema, name: string): JsonSchema {
  const member = propertiesOf(schema['properties'])[name];
  if (member === undefined) throw new Error(`the schema has no member ${name}`);
  return member;
}

/** The schema with replaced members. */
function withMembers(schema: JsonSchema, members: Properties): JsonSchema {
  return { ...schema, properties: { ...propertiesOf(schema['properties']), ...members } };
}

/** The schema of an array's elements. @throws Error if there is none. */
function itemsOf(schema: JsonSchema): JsonSchema {
  const { items } = schema;
  if (!isObject(items)) throw new Error('the schema is not of an array');
  return items;
}

/** The schema of a list whose objects have this name. */
function listNamed(list: JsonSchema, name: string): JsonSchema {
  return { ...list, items: { ...itemsOf(list), [NAME]: name } };
}

/** The schema of a map's values. @throws Error if there is none. */
function valuesOf(schema: JsonSchema): JsonSchema {
  const { additionalProperties } = schema;
  if (!isObject(additionalProperties)) throw new Error('the schema is not of a map');
  return additionalProperties;
}

/** The schema of a map whose values have this name. */
function mapNamed(map: JsonSchema, name: string, values = valuesOf(map)): JsonSchema {
  return { ...map, additionalProperties: { ...values, [NAME]: name } };
}

const stored = normalForm(moduleSchema);
const variables = memberOf(stored, 'environmentVariables');
const storedTranslations = listNamed(memberOf(stored, 'translations'), 'Translation');

/** A stored descriptor. */
export const descriptor = namedSchema<StoredDescriptor>(
  'Descriptor',
  withMembers(without(stored, '$schema', 'organizationId'), {
    translations: storedTranslations,
    subscriptionOptions: listNamed(memberOf(stored, 'subscriptionOptions'), 'SubscriptionOption'),
    environmentVariables: listNamed(
      { ...variables, items: without(itemsOf(variables), 'value') },
      'EnvironmentVariable',
    ),
    moduleFiles: listNamed(memberOf(stored, 'moduleFiles'), 'DescriptorFile'),
  }),
);

/** The texts of a stored descriptor. */
export const translations = Type.Unsafe<readonly Translation[]>(storedTranslations);

/** Stored roles and entities. */
export const rolesEntities = namedSchema<RolesEntities>('RolesEntities', normalForm(rolesEntitiesSchema));

const definitions = normalForm(alertRulesSchema);
const criterion = valuesOf(memberOf(definitions, 'criterias'));

/** Stored definitions for the alert rules of farmers. */
export const alertRuleDefinitions = namedSchema<AlertRules>(
  'AlertRuleDefinitions',
  withMembers(definitions, {
    criterias: mapNamed(
      memberOf(definitions, 'criterias'),
      'Criterion',
      withMembers(criterion, { parts: mapNamed(memberOf(criterion, 'parts'), 'CriterionPart') }),
    ),
  }),
);
