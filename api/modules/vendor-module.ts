import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { ListedModule, ModuleRevision, RevisionSummary } from '../../shared/db/modules/modules.ts';
import { MODULE_VERSION } from '../../shared/package/descriptor/descriptor.ts';
import { ProblemError } from '../http/problem.ts';
import {
  dateTime,
  guid,
  integer,
  listOf,
  namedObject,
  object,
  orNull,
  oneOf,
  sha256,
  text,
} from '../http/schema.ts';
import { timestamp } from '../http/timestamp.ts';
import { IMPORT_STATUSES } from '../imports/import.ts';
import { alertRuleDefinitions, descriptor, rolesEntities } from './normal-form.ts';

/** The query of endpoints that support older revisions. */
export const REVISION_QUERY = {
  revision: Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'The revision to read; default: the current one.',
  }),
};

/** The version of every imported module. */
export const moduleVersion = Type.Literal(MODULE_VERSION, { description: 'Always 0.1 after an import.' });

/** A logo of a module. */
export const logo = namedObject('Logo', 'A logo of a module.', {
  path: text(),
  mediaType: text(),
  sha256: sha256(),
});

/** The names of a module. */
export const translatedNames = listOf(
  object('The names of a module in one language.', {
    languageId: guid(),
    moduleName: text(),
    shortName: orNull(text()),
  }),
  'By language.',
);

/** A module of a list. */
export const moduleSummary = namedObject('ModuleSummary', 'A module in a list.', {
  id: guid(),
  scope: orNull(text('Unique in the tenant.')),
  moduleName: orNull(text('The English name.')),
  translations: translatedNames,
  logos: listOf(logo),
  moduleVersion,
  revision: integer('The current revision.', 1),
  lastImport: orNull(
    object('The newest import that was not only a validation.', {
      importId: guid(),
      status: oneOf(IMPORT_STATUSES),
      createdAt: dateTime(),
    }),
  ),
  createdAt: dateTime(),
  updatedAt: dateTime(),
});

/** A module of a list, from its row. */
export function moduleSummaryOf(row: ListedModule, englishId: string): Static<typeof moduleSummary> {
  return {
    id: row.id,
    scope: row.scope,
    moduleName: row.translations.find(({ languageId }) => languageId === englishId)?.moduleName ?? null,
    translations: row.translations,
    logos: row.logos,
    moduleVersion: MODULE_VERSION,
    revision: row.currentRevision,
    lastImport: lastImportOf(row),
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}

function lastImportOf({ lastImportId, lastImportStatus, lastImportAt }: ListedModule) {
  if (lastImportId === null || lastImportStatus === null || lastImportAt === null) return null;
  return { importId: lastImportId, status: lastImportStatus, createdAt: timestamp(lastImportAt) };
}

const moduleFile = namedObject('ModuleFile', 'A file of a revision.', {
  path: text('In the package.'),
  mediaType: text('By the content of images, by the extension of other files.'),
  sizeBytes: integer(),
  sha256: sha256(),
});

/** A complete revision of a module. */
export const vendorModule = namedObject('Module', 'A complete revision of a module.', {
  id: guid(),
  revision: integer('The returned revision.', 1),
  currentRevision: integer('The newest revision.', 1),
  moduleVersion,
  importId: guid('The import that created the revision.'),
  descriptor,
  roles: orNull(rolesEntities),
  alertRules: orNull(alertRuleDefinitions),
  files: listOf(moduleFile, 'By path.'),
  createdAt: dateTime('When the module was created.'),
  updatedAt: dateTime('When the revision was created.'),
});

/** A module from a revision. */
export function moduleOf(found: ModuleRevision): Static<typeof vendorModule> {
  return {
    id: found.id,
    revision: found.revision,
    currentRevision: found.currentRevision,
    moduleVersion: MODULE_VERSION,
    importId: found.importId,
    descriptor: found.descriptor,
    roles: found.roles,
    alertRules: found.alertRules,
    files: found.files,
    createdAt: timestamp(found.createdAt),
    updatedAt: timestamp(found.revisedAt),
  };
}

/** A revision of a list. */
export const revision = namedObject('Revision', 'A revision in a list.', {
  revision: integer(undefined, 1),
  importId: guid(),
  files: integer('The number of files.'),
  sizeBytes: integer('The total size of its files.'),
  createdAt: dateTime(),
});

/** A revision of a list, from its row. */
export function revisionOf(row: RevisionSummary): Static<typeof revision> {
  const { createdAt, ...members } = row;
  return { ...members, createdAt: timestamp(createdAt) };
}

/** The refusal if the organization has no such module or revision. */
export function noModule(): ProblemError {
  return new ProblemError('not-found', 'The organization has no such module or revision.');
}
