import { ref } from './operation.ts';
import type { Schema } from './operation.ts';
import { count, guid, listOf, moment, object, orNull } from './schema-parts.ts';

const installation = object('A module that a farmer has installed.', {
  organizationId: guid(),
  moduleId: guid(),
  acceptedDataAreaIds: listOf(guid(), 'What the module may read.'),
  consentPending: {
    type: 'boolean',
    description: 'Whether a newer revision asks for more than was offered.',
  },
  createdAt: moment(),
  updatedAt: moment(),
});

const definitionsOfModule = object('What farmers can build rules of a module from.', {
  moduleId: guid(),
  revision: orNull(count('The current one.', 1)),
  alertRules: orNull(ref('AlertRuleDefinitions')),
});

/** Schemas of modules and installations, by name. */
export const MODULE_SCHEMAS: Readonly<Record<string, Schema>> = {
  Installation: installation,
  ModuleAlertRules: definitionsOfModule,
};
