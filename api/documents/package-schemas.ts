import { alertRulesFileSchema } from '../../shared/package/alert-rules/alert-rules-schema.ts';
import { moduleSchema } from '../../shared/package/descriptor/module-schema.ts';
import { rolesEntitiesSchema } from '../../shared/package/roles/roles-schema.ts';

/** The schemas of a package's files by file name; packages are validated with the same objects. */
export const PACKAGE_SCHEMAS = {
  'module-schema.json': moduleSchema,
  'roles-entities.json': rolesEntitiesSchema,
  'alert-rules.json': alertRulesFileSchema,
} as const;
