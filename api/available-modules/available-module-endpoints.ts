import { Type } from 'typebox';
import {
  findAvailableFile,
  findAvailableModule,
  findRevisionOffer,
} from '../../shared/db/modules/available-modules.ts';
import { findRevisionChanges } from '../../shared/db/modules/changed-parts.ts';
import { listOfferedModules } from '../../shared/db/modules/listed-modules.ts';
import { moduleKey } from '../auth/access.ts';
import { farmerMember, vendorMember } from '../auth/endpoint-access.ts';
import { finishedJson, json, ok, reply, SENT } from '../http/answer.ts';
import { endpoint, tagged } from '../http/endpoint.ts';
import { FILE_ANSWERS, FILE_HEADERS, filePath, sendFile } from '../http/answer/file-answer.ts';
import { IF_NONE_MATCH, isKnown } from '../http/request/conditional-request.ts';
import { mapPage, PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import { inputGuid } from '../http/schema.ts';
import { availableModule, availableModulePage, availableModuleOf, summaryOf } from './available-module.ts';
import { missingFile } from '../modules/missing-file.ts';
import { NO_MODULE, REVISION_PATH, revisionNumber } from '../modules/vendor-module.ts';
import { offerTag } from './offer-tag.ts';
import { searchText, wordsOf } from '../http/search-words.ts';
import { languageIdsOf } from './catalogue-words.ts';

const path = '/api/v8.0/{orgId}/availableModules';

const LANGUAGE_QUERY = {
  language: Type.String({
    pattern: '^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$',
    maxLength: 100,
    description: 'The language of names and texts, a tag of BCP 47 such as de; default: English.',
  }),
};
const ENGLISH = 'en';
const HEADERS = ['ETag', 'Cache-Control'];

const list = endpoint('get', path, {
  id: 'listAvailableModules',
  summary: 'List and search available modules',
  description:
    "The modules of the organization's tenant, newest first. With `query`, modules whose name has the words come first.",
  access: farmerMember,
  query: {
    ...PAGE_QUERY,
    query: searchText('names and descriptions must contain, in any language of the module.'),
    categoryId: inputGuid('Only modules of this category, an ID of the catalogue.'),
    cropId: inputGuid('Only modules for this crop, an ID of the catalogue.'),
    vendorId: inputGuid('Only modules of this vendor, the ID of an organization.'),
    ...LANGUAGE_QUERY,
  },
  answers: { 200: json('A page of modules.', availableModulePage) },
  async handle(call) {
    const { api, caller, query } = call;
    const { catalogue, database } = api;
    const { language = ENGLISH, categoryId = null, cropId = null, vendorId = null } = query;
    const filter = { words: wordsOf(query.query), categoryId, cropId, vendorId };
    const languageIds = languageIdsOf(catalogue, language);
    const page = await listOfferedModules(
      database,
      caller.organization,
      filter,
      languageIds,
      pageRequest(call),
    );
    const answer = pageAnswer(
      call,
      mapPage(page, (row) => summaryOf(row, catalogue, language)),
    );
    return ok({ ...answer, total: page.total });
  },
});

const read = endpoint('get', `${path}/{moduleId}`, {
  id: 'readAvailableModule',
  summary: 'Read an available module',
  description:
    'The `ETag` names the offer: revision, data areas, prices, terms and privacy statement. Send it as `If-Match` when ' +
    'the farmer installs the module or changes its access.',
  access: farmerMember,
  query: LANGUAGE_QUERY,
  headers: IF_NONE_MATCH,
  answers: {
    200: finishedJson('The module.', availableModule, HEADERS),
    304: { description: 'The caller has this version.', headers: HEADERS },
  },
  async handle({ api: { catalogue, database }, request, caller, path: { moduleId }, query }) {
    const row = await findAvailableModule(database, caller.organization.id, moduleId);
    const offered = found(row, "The organization's tenant offers no such module.");
    const changes = await findRevisionChanges(database, offered, offered.installedRevision);
    const answer = availableModuleOf(offered, changes, catalogue, query.language ?? ENGLISH);
    const { terms, privacy } = answer;
    const etag = offerTag({ ...offered, moduleId, terms, privacy }, answer);
    const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
    return isKnown(request, etag) ? reply(304, undefined, headers) : ok(answer, headers);
  },
});

/** What a release will show to farmers, for the vendor who decides about it. */
export const readRevisionOffer = endpoint(
  'get',
  '/api/v8.0/{orgId}/modules/{moduleId}/revisions/{revision}/offer',
  {
    id: 'readRevisionOffer',
    summary: 'Preview the offer of a revision',
    description:
      "A revision of the vendor's module as farmers read it once it is released, in a language. Terms and privacy " +
      "statements are those for the vendor's country; `changes` compares it with the released revision before it.",
    access: vendorMember,
    parameters: REVISION_PATH,
    query: LANGUAGE_QUERY,
    answers: { 200: json('The offer.', availableModule) },
    async handle({ api: { catalogue, database }, caller, path, query }) {
      const row = await findRevisionOffer(database, moduleKey(caller, path), revisionNumber(path.revision));
      const offered = found(row, NO_MODULE);
      const changes = await findRevisionChanges(database, offered, null);
      return ok(availableModuleOf(offered, changes, catalogue, query.language ?? ENGLISH));
    },
  },
);

const readFile = endpoint('get', `${path}/{moduleId}/files/{path}`, {
  id: 'readAvailableModuleFile',
  summary: 'Read a file for farmers',
  description: 'The images, logos, terms and privacy statements of a module; its other files are not found.',
  access: farmerMember,
  parameters: filePath('ModuleToS/terms-en.md'),
  headers: FILE_HEADERS,
  answers: FILE_ANSWERS,
  problems: ['module-quarantined'],
  async handle({ api, request, response, caller, path: { moduleId, path } }) {
    const name = path.normalize('NFC');
    const file = await findAvailableFile(api.database, caller.organization.id, moduleId, name);
    if (file === null) {
      const { tenantId } = caller.organization;
      const detail = "The organization's tenant offers no module with such a file.";
      throw await missingFile(api, moduleId, { tenantId }, detail);
    }
    await sendFile({ api, request, response, authority: caller.authority }, file);
    return SENT;
  },
});

/** The modules that a farmer can install: those of the tenant. */
export const AVAILABLE_MODULE_ENDPOINTS = tagged('Installations', [list, read, readFile]);
