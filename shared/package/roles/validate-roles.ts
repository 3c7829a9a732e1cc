import { fileValidator } from '../schema/validate-file.ts';
import { parseJson } from '../text/parse-json.ts';
import { rolesEntitiesSchema } from './roles-schema.ts';

/** Validates the roles and entities file. */
export const validateRoles = fileValidator({
  parse: parseJson,
  schema: rolesEntitiesSchema,
  syntaxCode: 'roles-not-json',
  schemaCode: 'roles-invalid',
});
