import type { NormalForm } from '../schema/normal-form.ts';
import type { rolesEntitiesSchema } from './roles-schema.ts';

/** The roles and entities file in its normal form. */
export type RolesEntities = NormalForm<typeof rolesEntitiesSchema>;

/** A role that a module adds to the platform's own. */
export type CustomRole = RolesEntities['roles'][number];

/** A kind of data that a module adds. */
export type CustomData = RolesEntities['data'][number];
