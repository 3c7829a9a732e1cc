import { alertRulesSchema } from '../../shared/package/alert-rules/alert-rules-schema.ts';
import { moduleSchema } from '../../shared/package/descriptor/module-schema.ts';
import { rolesEntitiesSchema } from '../../shared/package/roles/roles-schema.ts';
import { itemsOf, memberOf, normalForm, withMembers, without } from './normal-form.ts';
import { ref } from './operation.ts';
import type { Schema } from './operation.ts';
import { choice, count, guid, listOf, moment, object, orNull, sha256, text } from './schema-parts.ts';

const stored = normalForm(moduleSchema);
const variables = memberOf(stored, 'environmentVariables');

/** The descriptor as it is stored; the values of environment variables are told by the export alone. */
const descriptor = withMembers(without(stored, '$schema', 'organizationId'), {
  environmentVariables: { ...variables, items: without(itemsOf(variables), 'value') },
});

const version: Schema = { type: 'number', const: 0.1, description: 'An import makes it 0.1.' };

const file = object('A file of a revision.', {
  path: text('In the package.'),
  mediaType: text('By the content of images, by the ending of other files.'),
  sizeBytes: count(),
  sha256: sha256(),
});

const module = object('One revision of a module, whole.', {
  id: guid(),
  revision: count('The one that is told.', 1),
  currentRevision: count('The newest.', 1),
  moduleVersion: version,
  importId: guid('The import that made the revision.'),
  descriptor: ref('Descriptor'),
  roles: orNull(ref('RolesEntities')),
  alertRules: orNull(ref('AlertRuleDefinitions')),
  files: listOf(ref('ModuleFile'), 'By path.'),
  createdAt: moment('When the module was made.'),
  updatedAt: moment('When the revision was made.'),
});

const revision = object('A revision, as a list shows it.', {
  revision: count(undefined, 1),
  importId: guid(),
  files: count('How many it has.'),
  sizeBytes: count('All its files together.'),
  createdAt: moment(),
});

const logo = object('A logo of a module.', { path: text(), mediaType: text(), sha256: sha256() });

const translatedName = object('What a module is called in one language.', {
  languageId: guid(),
  moduleName: text(),
  shortName: orNull(text()),
});

const moduleSummary = object('A module, as a list shows it.', {
  id: guid(),
  scope: orNull(text('Unique in the tenant.')),
  moduleName: orNull(text('Its English name.')),
  translations: listOf(translatedName, 'By language.'),
  logos: listOf(ref('Logo')),
  moduleVersion: version,
  revision: count('The current one.', 1),
  lastImport: orNull(
    object('The newest import of it that was no mere validation.', {
      importId: guid(),
      status: choice(['queued', 'running', 'succeeded', 'rejected', 'failed', 'cancelled']),
      createdAt: moment(),
    }),
  ),
  createdAt: moment(),
  updatedAt: moment(),
});

const offer = {
  id: guid(),
  moduleVersion: version,
  revision: count('The current one.', 1),
  logos: listOf(ref('Logo')),
  dataAreaIds: listOf(guid(), 'The data that it asks to read.'),
  createdAt: moment(),
  updatedAt: moment(),
};

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

/** Schemas of modules and installations, by name. */
export const MODULE_SCHEMAS: Readonly<Record<string, Schema>> = {
  Descriptor: descriptor,
  RolesEntities: normalForm(rolesEntitiesSchema),
  AlertRuleDefinitions: normalForm(alertRulesSchema),
  ModuleFile: file,
  ModuleSummary: moduleSummary,
  Module: module,
  Revision: revision,
  Logo: logo,
  AvailableModuleSummary: object('A module on offer, as a list shows it.', {
    ...offer,
    translations: listOf(translatedName, 'By language.'),
  }),
  AvailableModule: object('A module on offer, whole.', {
    ...offer,
    translations: memberOf(stored, 'translations'),
    alertRules: orNull(ref('AlertRuleDefinitions')),
  }),
  Installation: installation,
};
