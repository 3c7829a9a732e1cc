import {
  described,
  MAX_NAME_LENGTH,
  MAX_TEXT_LENGTH,
  PERMISSION_NAME_PATTERN,
  TEXT_PATTERN,
} from '../schema/schema-parts.ts';

const name = { type: 'string', maxLength: MAX_NAME_LENGTH, pattern: TEXT_PATTERN } as const;
const text = { type: 'string', maxLength: MAX_TEXT_LENGTH, pattern: TEXT_PATTERN } as const;

/** The JSON Schema of the roles and entities file, served at `/schemas/roles-entities.json`. */
export const rolesEntitiesSchema = {
  $schema: 'http://json-schema.org/draft-06/schema#',
  title: 'Module-specific roles and entities',
  description: 'The one JSON file in ModuleSpecificRolesEntitiesDefinition/.',
  type: 'object',
  properties: {
    roles: described(
      'Roles that the module adds',
      'Each builds on roles of the platform and lists its additional permissions.',
      {
        type: 'array',
        items: { $ref: '#/definitions/CustomRole' },
      },
    ),
    data: described(
      'Kinds of data that the module adds',
      'Each with what it is for, so that a farmer can agree to it.',
      {
        type: 'array',
        items: { $ref: '#/definitions/CustomData' },
      },
    ),
  },
  additionalProperties: false,
  definitions: {
    CustomRole: described('A role', 'A role of the module, in addition to those of the platform.', {
      type: 'object',
      properties: {
        name: described('Name of the role', 'Unique among the roles of the module.', name),
        entityType: described(
          'Type of the entity that the role is for',
          'What the role is given in, such as Organization.',
          name,
        ),
        baseRoles: described('Names of the roles that it builds on', 'The role may do all that these may.', {
          type: 'array',
          items: { ...name, title: 'Name of a role' },
        }),
        permissions: described(
          'What the role may do',
          'Letters and digits name an entity; the list says what the role may do with it.',
          {
            type: 'object',
            patternProperties: {
              [PERMISSION_NAME_PATTERN]: {
                title: 'What may be done with the entity',
                type: 'array',
                items: { ...text, title: 'Permission' },
              },
            },
            additionalProperties: false,
          },
        ),
      },
      required: ['name', 'baseRoles', 'permissions'],
      additionalProperties: false,
    }),
    CustomData: described('A kind of data', 'Data that the module keeps.', {
      type: 'object',
      properties: {
        name: described('Name of the data', 'What farmers see when they agree.', name),
        entityType: described('Type of the entity', 'What the data belongs to, such as Field.', name),
        intention: described('What the data is for', 'One sentence for the farmer who agrees to it.', text),
        internalOnly: described(
          'Whether the data stays inside the module',
          'True if no other module may get the data.',
          { type: 'boolean' },
        ),
        environmentKey: described(
          'Key of the environment variable that belongs to it',
          'A key of `environmentVariables`; unique among the kinds of data.',
          name,
        ),
      },
      required: ['name', 'intention'],
      additionalProperties: false,
    }),
  },
} as const;
