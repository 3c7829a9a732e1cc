import { parseJson } from '../text/parse-json.ts';
import type { PlacedText } from '../text/located-text.ts';
import type { Problem } from '../problem.ts';
import { problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';
import type { CustomRole, RolesEntities } from './roles-entities.ts';
import { rolesEntitiesSchema } from './roles-schema.ts';
import { compileSchema, schemaProblems } from '../schema/validate-schema.ts';

/** The file as it is written: members that are not required may be absent. */
interface WrittenRolesEntities {
  readonly roles?: readonly (Pick<CustomRole, 'name' | 'baseRoles' | 'permissions'> & {
    readonly entityType?: string;
  })[];
  readonly data?: readonly {
    readonly name: string;
    readonly entityType?: string;
    readonly intention: string;
    readonly internalOnly?: boolean;
    readonly environmentKey?: string;
  }[];
}

const isRolesEntities = compileSchema<WrittenRolesEntities>(rolesEntitiesSchema);

/** The roles and entities of a file, or what is wrong with it. */
export interface JudgedRoles {
  readonly roles: RolesEntities | null;
  readonly problems: readonly Problem[];
}

function normalForm({ roles = [], data = [] }: WrittenRolesEntities): RolesEntities {
  return {
    roles: roles.map(({ name, entityType = null, baseRoles, permissions }) => ({
      name,
      entityType,
      baseRoles,
      permissions,
    })),
    data: data.map(({ name, entityType = null, intention, internalOnly = null, environmentKey = null }) => ({
      name,
      entityType,
      intention,
      internalOnly,
      environmentKey,
    })),
  };
}

function keyProblems(text: PlacedText): Problem[] {
  const { entry } = text;
  const twice = text.duplicateKeys.map(({ name, pointer, line, column }) =>
    problem('roles-not-json', `The key ${quoteText(name)} stands twice.`, { entry, pointer, line, column }),
  );
  const long = text.longKeys.map(({ name, pointer, line, column }) =>
    problem('roles-invalid', `The key ${quoteText(name)} has more than 200 characters.`, {
      entry,
      pointer,
      line,
      column,
    }),
  );
  return [...twice, ...long];
}

/** Judges the roles and entities file. */
export function judgeRoles(entry: string, content: Buffer): JudgedRoles {
  const text = parseJson(entry, content);
  if ('detail' in text) {
    const { line, column, detail } = text;
    return { roles: null, problems: [problem('roles-not-json', detail, { entry, line, column })] };
  }
  const problems = keyProblems(text);
  // An over-long key would be repeated in the pointer of each error below it.
  if (text.longKeys.length > 0) return { roles: null, problems };
  const { value } = text;
  if (isRolesEntities(value)) return { roles: problems.length === 0 ? normalForm(value) : null, problems };
  const style = { codeOf: () => 'roles-invalid' as const, isSecret: () => false };
  return {
    roles: null,
    problems: [...problems, ...schemaProblems(text, isRolesEntities.errors ?? [], style)],
  };
}
