import type { NormalForm } from '../schema/normal-form.ts';
import { rolesEntitiesSchema } from './roles-schema.ts';
import { fileValidator } from '../schema/validate-file.ts';
import { isMembers, rootItems } from '../schema/read-members.ts';
import type { Descriptor } from '../descriptor/descriptor.ts';
import { problem, type Problem } from '../problem.ts';
import { pointerTo } from '../text/json-pointer.ts';
import { problemAt, type LocatedText } from '../text/located-text.ts';
import { parseJson } from '../text/parse-json.ts';
import { quoteText } from '../text/quote-value.ts';

/** The roles and entities file in its normal form. */
export type RolesEntities = NormalForm<typeof rolesEntitiesSchema>;

/** A role that a module adds to the platform's own. */
export type CustomRole = RolesEntities['roles'][number];

/** A kind of data that a module adds. */
export type CustomData = RolesEntities['data'][number];

/** Validates the roles and entities file. */
export const validateRoles = fileValidator({
  parse: parseJson,
  schema: rolesEntitiesSchema,
  syntaxCode: 'roles-not-json',
  schemaCode: 'roles-invalid',
  findMore: (text) => [
    ...repeatedProblems(text, 'roles', 'name'),
    ...repeatedProblems(text, 'data', 'environmentKey'),
  ],
});

/** Values that only one item of a list may have. */
function repeatedProblems(text: LocatedText, list: string, member: string): Problem[] {
  const seen = new Set<unknown>();
  return rootItems(text, list, isMembers).flatMap(({ pointer, item: { [member]: value } }) => {
    if (typeof value !== 'string' || seen.size !== seen.add(value).size) return [];
    const detail = `The ${member} ${quoteText(value)} is duplicated in ${list}; each has its own.`;
    return [problemAt(text, 'roles-invalid', pointerTo(pointer, member), detail)];
  });
}

/** Environment variables that the file names and the module does not have. */
export function environmentKeyProblems(
  entry: string,
  { data }: RolesEntities,
  { environmentVariables }: Descriptor,
): Problem[] {
  const keys = new Set(environmentVariables.map(({ key }) => key));
  return data.flatMap(({ environmentKey }, index) => {
    if (environmentKey === null || keys.has(environmentKey)) return [];
    const detail = `The module has no environment variable ${quoteText(environmentKey)}, which data[${index}] names.`;
    const pointer = `/data/${index}/environmentKey`;
    return [problem('roles-environment-key-unknown', detail, { entry, pointer })];
  });
}
