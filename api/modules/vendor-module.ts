import { Type } from 'typebox';
import type { Database } from '../../shared/db/database.ts';
import { findMoreFiles, type ListedModule, type ModuleRevision } from '../../shared/db/modules/modules.ts';
import type { RevisionFile } from '../../shared/db/modules/located-file.ts';
import { MODULE_VERSION } from '../../shared/package/descriptor/descriptor.ts';
import { answerOf, timestamp } from '../http/answer.ts';
import { dateTime, guid, integer, listOf, namedObject, orNull, oneOf, sha256, text } from '../http/schema.ts';
import { IMPORT_STATUSES, moduleVersion } from '../imports/import.ts';
import { alertRuleDefinitions, descriptor, rolesEntities } from './normal-form.ts';
import { RELEASE_STATES } from './release-state.ts';

/** The number of a revision, as text. */
export const REVISION_NUMBER = /^[1-9][0-9]{0,8}$/;

/** The revision in a path. */
export const REVISION_PATH = {
  revision: Type.String({
    pattern: REVISION_NUMBER.source,
    description: 'The number of the revision.',
    example: '3',
  }),
};

/** The number of a revision in a path; 0, which no revision has, for anything else. */
export function revisionNumber(text: string): number {
  return REVISION_NUMBER.test(text) ? Number(text) : 0;
}

/** The query of endpoints that support older revisions. */
export const REVISION_QUERY = {
  revision: Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'The revision to read; default: the current one, or the newest while none is released.',
  }),
};

/** A logo of a module. */
export const logo = namedObject('Logo', 'A logo of a module.', {
  path: text('The path of the file in the package.'),
  mediaType: text('The media type, by the content of the image.'),
  sha256: sha256('The SHA-256 of the file, in hexadecimal digits.'),
});

/** The names of a module. */
export const translatedNames = listOf(
  namedObject('ModuleNames', 'The names of a module in one language.', {
    languageId: guid('The language, an ID of the catalogue.'),
    moduleName: text('The name of the module.'),
    shortName: orNull(text('A short form of the name; null if there is none.')),
  }),
  'The names of the module, one object per language.',
);

/** A module of a list. */
export const moduleSummary = namedObject('ModuleSummary', 'A module in a list.', {
  id: guid('The ID of the module.'),
  scope: orNull(text("The module's name in the tenant, which is unique; null if it has none.")),
  moduleName: orNull(text('The English name of the module.')),
  translations: translatedNames,
  logos: listOf(logo, 'The logos of the revision.'),
  moduleVersion,
  revision: integer('The number of the current revision, or of the newest while none is released.', 1),
  currentRevision: orNull(integer('The number of the revision released to everyone; null: none yet.', 1)),
  newestRevision: integer('The number of the newest revision.', 1),
  lastImport: orNull(
    namedObject('LastImport', 'The newest import of a module that was not only a validation.', {
      importId: guid('The ID of the import.'),
      status: oneOf(IMPORT_STATUSES, 'Where the import is.'),
      createdAt: dateTime('When the package was received.'),
    }),
    'The newest import that was not only a validation; null if none is kept.',
  ),
  createdAt: dateTime('When the module was created.'),
  updatedAt: dateTime('When a revision was last imported or released.'),
});

/** A row with the names of answers, in a list. */
export function summaryAnswer(row: ListedModule, englishId: string) {
  return answerOf(row, {
    moduleName: row.translations.find(({ languageId }) => languageId === englishId)?.moduleName ?? null,
    moduleVersion: MODULE_VERSION,
    revision: row.currentRevision ?? row.newestRevision,
    lastImport: lastImportOf(row),
  });
}

function lastImportOf({ lastImportId, lastImportStatus, lastImportAt }: ListedModule) {
  if (lastImportId === null || lastImportStatus === null || lastImportAt === null) return null;
  return { importId: lastImportId, status: lastImportStatus, createdAt: timestamp(lastImportAt) };
}

/** A file of a revision. */
export const moduleFile = namedObject('ModuleFile', 'A file of a revision.', {
  path: text('The path of the file in the package.'),
  mediaType: text('The media type: by the content of images, by the extension of other files.'),
  sizeBytes: integer('The size of the file, in bytes.'),
  sha256: sha256('The SHA-256 of the file, in hexadecimal digits.'),
});

/** A complete revision of a module. */
export const vendorModule = namedObject('Module', 'A complete revision of a module.', {
  id: guid('The ID of the module.'),
  revision: integer('The number of the returned revision.', 1),
  currentRevision: orNull(integer('The number of the revision released to everyone; null: none yet.', 1)),
  newestRevision: integer('The number of the newest revision.', 1),
  moduleVersion,
  importId: guid('The import that created the revision.'),
  descriptor,
  roles: orNull(rolesEntities, 'The roles and entities of the revision; null if it has none.'),
  alertRules: orNull(
    alertRuleDefinitions,
    'The alert rule definitions of the revision; null if it has none.',
  ),
  files: listOf(moduleFile, 'The files of the revision, by path.'),
  createdAt: dateTime('When the module was created.'),
  updatedAt: dateTime('When the revision was created.'),
});

/** A revision with the names of answers. */
export function revisionAnswer(found: ModuleRevision) {
  return { ...found, moduleVersion: MODULE_VERSION, updatedAt: found.revisedAt };
}

/** The text of a revision with many files, of which the first are known, in pieces that do not block the event loop. */
export async function* textsWithFiles(
  database: Database,
  key: Pick<ModuleRevision, 'id' | 'revision'>,
  { files, ...members }: { readonly files: readonly RevisionFile[] },
): AsyncGenerator<string> {
  yield `${JSON.stringify(members).slice(0, -1)},"files":[`;
  for (let page = files, comma = ''; page.length > 0; comma = ',') {
    yield comma + JSON.stringify(page).slice(1, -1);
    page = await findMoreFiles(database, key, page.at(-1)?.path ?? '');
  }
  yield ']}';
}

/** A revision of a list. */
export const revision = namedObject('Revision', 'A revision in a list.', {
  revision: integer('The number of the revision; the first is 1.', 1),
  importId: guid('The import that created the revision.'),
  files: integer('The number of its files.'),
  sizeBytes: integer('The total size of its files, in bytes.'),
  createdAt: dateTime('When the revision was created.'),
  releasedAt: orNull(dateTime('When it was first released, to everyone or to a ring; null: it is staged.')),
  becameCurrentAt: orNull(dateTime('When everyone last got it; null: at most a ring or previewers saw it.')),
});

/** A revision of a module, without its content. */
export const revisionRecord = namedObject('RevisionRecord', 'A revision, its archive and its audience.', {
  revision: integer('The number of the revision.', 1),
  importId: guid('The import that created the revision.'),
  importedBy: orNull(
    text(
      'The uploader: the subject of the token, or the trusted publisher; null: not recorded for an old revision.',
    ),
  ),
  archiveSha256: sha256('The SHA-256 of the uploaded archive, in hexadecimal digits.'),
  archiveBytes: integer('The size of the uploaded archive, in bytes.'),
  state: oneOf(
    RELEASE_STATES,
    'Its audience: everyone (`current`), the ring (`ring`) or its previewers (`preview`); nobody for `staged` and ' +
      'for `released`, an earlier current one.',
  ),
  createdAt: dateTime('When the revision was created.'),
  releasedAt: orNull(dateTime('When it was first released, to everyone or to a ring; null: it is staged.')),
});

/** The refusal if the organization has no such module or revision. */
export const NO_MODULE = 'The organization has no such module or revision.';
