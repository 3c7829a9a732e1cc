import type { Static } from 'typebox';
import {
  findAvailableModule,
  findLogo,
  listAvailableModules,
} from '../../shared/db/modules/available-modules.ts';
import type { AvailableModule, AvailableModuleSummary } from '../../shared/db/modules/available-modules.ts';
import { MODULE_VERSION } from '../../shared/package/descriptor/descriptor.ts';
import { farmerMember } from '../auth/endpoint-access.ts';
import { json, ok, SENT } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { FILE_ANSWERS, FILE_HEADERS, sendFile } from '../http/file-answer.ts';
import { PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { ProblemError } from '../http/problem.ts';
import { dateTime, guid, integer, listOf, namedObject, orNull, pageOf, text } from '../http/schema.ts';
import { timestamp } from '../http/timestamp.ts';
import { moduleVersion } from '../imports/import.ts';
import { logo, translatedNames } from '../modules/vendor-module.ts';
import { alertRuleDefinitions, translations } from '../modules/normal-form.ts';

const tag = 'Installations';
const path = '/api/v8.0/{orgId}/availableModules';

const offer = {
  id: guid('The ID of the module.'),
  moduleVersion,
  revision: integer('The number of the current revision.', 1),
  logos: listOf(logo, 'The logos of the current revision.'),
  dataAreaIds: listOf(guid('An ID of the catalogue.'), 'The data areas that the module reads.'),
  createdAt: dateTime('When the module was created.'),
  updatedAt: dateTime('When the current revision was created.'),
};

const availableModuleSummary = namedObject('AvailableModuleSummary', 'An available module in a list.', {
  ...offer,
  translations: translatedNames,
});

const availableModule = namedObject('AvailableModule', 'An available module.', {
  ...offer,
  translations,
  alertRules: orNull(alertRuleDefinitions, 'The alert rule definitions of the module; null if it has none.'),
});

const list = endpoint({
  id: 'listAvailableModules',
  method: 'get',
  path,
  tag,
  summary: 'List available modules',
  description: "The modules of the organization's tenant, newest first.",
  access: farmerMember,
  query: PAGE_QUERY,
  answers: {
    200: json(
      'A page of modules.',
      pageOf('AvailableModulePage', availableModuleSummary, 'A page of available modules.'),
    ),
  },
  async handle({ api, caller, query }) {
    const page = await listAvailableModules(api.database, caller.organization.tenantId, pageRequest(query));
    return ok(pageAnswer(page, summaryOf));
  },
});

const read = endpoint({
  id: 'readAvailableModule',
  method: 'get',
  path: `${path}/{moduleId}`,
  tag,
  summary: 'Read an available module',
  access: farmerMember,
  answers: { 200: json('The module.', availableModule) },
  async handle({ api, caller, path: { moduleId } }) {
    const found = await findAvailableModule(api.database, caller.organization.tenantId, moduleId);
    if (found === null)
      throw new ProblemError('not-found', "The organization's tenant offers no such module.");
    return ok({ ...summaryOf(found), translations: found.translations, alertRules: found.alertRules });
  },
});

const readLogo = endpoint({
  id: 'readLogo',
  method: 'get',
  path: `${path}/{moduleId}/logo`,
  tag,
  summary: 'Read a logo',
  access: farmerMember,
  query: { path: text('The path of the logo; default: the first logo.') },
  headers: FILE_HEADERS,
  answers: FILE_ANSWERS,
  async handle({ api, request, response, caller, path: { moduleId }, query }) {
    if (query.path?.includes('\0') === true)
      throw new ProblemError('request-invalid', 'path must be the path of a logo, given once.');
    const path = query.path?.normalize('NFC') ?? null;
    const file = await findLogo(api.database, caller.organization.tenantId, moduleId, path);
    if (file === null)
      throw new ProblemError('not-found', "The organization's tenant offers no module with such a logo.");
    await sendFile({ api, request, response }, file);
    return SENT;
  },
});

/** The modules that a farmer can install: those of the tenant. */
export const AVAILABLE_MODULE_ENDPOINTS = [list, read, readLogo];

/** A module in answers to farmers: without the vendor's scope and the environment variables. */
function summaryOf(found: AvailableModule | AvailableModuleSummary): Static<typeof availableModuleSummary> {
  return {
    id: found.id,
    moduleVersion: MODULE_VERSION,
    revision: found.currentRevision,
    translations: found.translations,
    logos: found.logos,
    dataAreaIds: found.dataAreaIds,
    createdAt: timestamp(found.createdAt),
    updatedAt: timestamp(found.updatedAt),
  };
}
