import { MAX_NAME_LENGTH, MAX_TEXT_LENGTH, TEXT_PATTERN } from '../schema/schema-parts.ts';

const name = { type: 'string', maxLength: MAX_NAME_LENGTH, pattern: TEXT_PATTERN } as const;
const text = { type: 'string', maxLength: MAX_TEXT_LENGTH, pattern: TEXT_PATTERN } as const;

/** The JSON Schema of the roles and entities file, served at `/schemas/roles-entities.json`. */
export const rolesEntitiesSchema = {
  $schema: 'http://json-schema.org/draft-06/schema#',
  title: 'Module-specific roles and entities',
  description: 'The one JSON file in ModuleSpecificRolesEntitiesDefinition/.',
  type: 'object',
  properties: {
    roles: {
      title: 'Roles that the module adds',
      description: 'Each builds on roles of the platform and lists its additional permissions.',
      type: 'array',
      items: { $ref: '#/definitions/CustomRole' },
    },
    data: {
      title: 'Kinds of data that the module adds',
      description: 'Each with what it is for, so that a farmer can agree to it.',
      type: 'array',
      items: { $ref: '#/definitions/CustomData' },
    },
  },
  additionalProperties: false,
  definitions: {
    CustomRole: {
      title: 'A role',
      description: 'A role of the module, in addition to those of the platform.',
      type: 'object',
      properties: {
        name: { ...name, title: 'Name of the role', description: 'Unique among the roles of the module.' },
        entityType: {
          ...name,
          title: 'Type of the entity that the role is for',
          description: 'What the role is given in, such as Organization.',
        },
        baseRoles: {
          title: 'Names of the roles that it builds on',
          description: 'The role may do all that these may.',
          type: 'array',
          items: { ...name, title: 'Name of a role' },
        },
        permissions: {
          title: 'What the role may do',
          description: 'Letters and digits name an entity; the list says what the role may do with it.',
          type: 'object',
          patternProperties: {
            '^[a-zA-Z0-9]*$': {
              title: 'What may be done with the entity',
              type: 'array',
              items: { ...text, title: 'Permission' },
            },
          },
          additionalProperties: false,
        },
      },
      required: ['name', 'baseRoles', 'permissions'],
      additionalProperties: false,
    },
    CustomData: {
      title: 'A kind of data',
      description: 'Data that the module keeps.',
      type: 'object',
      properties: {
        name: { ...name, title: 'Name of the data', description: 'What farmers see when they agree.' },
        entityType: {
          ...name,
          title: 'Type of the entity',
          description: 'What the data belongs to, such as Field.',
        },
        intention: {
          ...text,
          title: 'What the data is for',
          description: 'One sentence for the farmer who agrees to it.',
        },
        internalOnly: {
          title: 'Whether the data stays inside the module',
          description: 'True if no other module may get the data.',
          type: 'boolean',
        },
        environmentKey: {
          ...name,
          title: 'Key of the environment variable that belongs to it',
          description: 'A key of `environmentVariables`.',
        },
      },
      required: ['name', 'intention'],
      additionalProperties: false,
    },
  },
} as const;
