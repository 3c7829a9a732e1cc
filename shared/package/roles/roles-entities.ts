import type { NormalForm } from '../schema/normal-form.ts';
import { rolesEntitiesSchema } from './roles-schema.ts';
import { fileValidator } from '../schema/validate-file.ts';
import { parseJson } from '../text/parse-json.ts';

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
});
