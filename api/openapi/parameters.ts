import { REQUEST_PROBLEMS } from '../http/request-problem-codes.ts';
import { PACKAGE_PROBLEMS } from '../../shared/package/problem-codes.ts';
import { GUID_PATTERN } from '../../shared/package/schema/schema-parts.ts';
import { MAX_LIMIT, STANDARD_LIMIT } from '../http/pagination.ts';
import { PACKAGE_SCHEMAS } from '../documents/schemas-router.ts';
import type { Parameter, Schema } from './operation.ts';
import { choice, flag } from './schema-parts.ts';

const EXAMPLE_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** An ID as callers write it: a GUID in any letter case. */
const writtenId: Schema = { type: 'string', format: 'uuid', pattern: GUID_PATTERN };

function id(description: string): Omit<Parameter, 'name' | 'in'> {
  return { description, schema: writtenId, example: EXAMPLE_ID };
}

/** What stands in the braces of a path. */
const PATH_PARAMETERS: Readonly<Record<string, Omit<Parameter, 'name' | 'in'>>> = {
  orgId: id('The organization.'),
  moduleId: id('The module.'),
  importId: id('The import.'),
  clientId: id('The API client.'),
  ruleId: id('The alert rule.'),
  alertId: id('The alert.'),
  set: {
    description: 'Key of a set of the catalogue.',
    schema: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9]*$' },
    example: 'languages',
  },
  code: {
    description: 'Code of a problem.',
    schema: choice(
      [...new Set([...Object.keys(PACKAGE_PROBLEMS), ...Object.keys(REQUEST_PROBLEMS)])].toSorted(),
    ),
    example: 'not-found',
  },
  name: {
    description: 'Name of a schema.',
    schema: choice(Object.keys(PACKAGE_SCHEMAS)),
    example: 'module-schema.json',
  },
};

/** The parameters of a path, in their order. */
export function pathParameters(path: string): readonly Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const parameter = PATH_PARAMETERS[name];
    if (parameter === undefined) throw new Error(`the path parameter ${name} is not described`);
    return { name, in: 'path', required: true, ...parameter };
  });
}

/** A parameter of the address's query. */
export function query(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'query', description, schema };
}

/** A header of the request. */
export function header(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'header', description, schema };
}

export const LIMIT = query('limit', 'Most items of the answer.', {
  type: 'integer',
  minimum: 1,
  maximum: MAX_LIMIT,
  default: STANDARD_LIMIT,
});

/** `limit` and `cursor` of a list. */
export const PAGE: readonly Parameter[] = [
  LIMIT,
  query('cursor', 'The `nextCursor` of the page before.', { type: 'string' }),
];

export const MODULE_FILTER = query('moduleId', 'Only those of this module.', writtenId);
export const ORGANIZATION_FILTER = query('organizationId', 'Only those of this organization.', writtenId);

export const WITH_ARCHIVED = query('includeArchived', 'Whether archived structures are told too.', flag());

export const IF_NONE_MATCH = header(
  'If-None-Match',
  'The `ETag` of what the caller has; if nothing has changed, the answer is 304.',
  { type: 'string' },
);
