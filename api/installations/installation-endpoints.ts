import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  deleteInstallation,
  findInstallation,
  listInstallations,
  putInstallation,
} from '../../shared/db/access/installations.ts';
import type { Installation, InstallOutcome } from '../../shared/db/access/installations.ts';
import { actorOf } from '../auth/access.ts';
import { farmerAdmin, farmerMember } from '../auth/endpoint-access.ts';
import { createdOrOk, DELETED, json, NO_CONTENT, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { bodyProblem, jsonBody, mayBeMissing } from '../http/json-body.ts';
import { PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { ProblemError } from '../http/problem.ts';
import {
  boolean,
  dateTime,
  guid,
  inputGuid,
  inputObject,
  integer,
  listOf,
  namedObject,
  pageOf,
  text,
} from '../http/schema.ts';
import { timestamp } from '../http/timestamp.ts';

const tag = 'Installations';
const path = '/api/v8.0/{orgId}/installations/{moduleId}';

const install = inputObject('Install', 'What the farmer lets the module read.', {
  acceptedDataAreaIds: Type.Optional(
    Type.Array(inputGuid('An ID of the catalogue.'), {
      maxItems: 1000,
      description: 'The accepted data areas. Default: all that the module declares.',
    }),
  ),
});

const installation = namedObject('Installation', 'A module that a farmer has installed.', {
  organizationId: guid('The organization of the farmer.'),
  moduleId: guid('The installed module.'),
  acceptedDataAreaIds: listOf(guid('An ID of the catalogue.'), 'The data areas that the module may read.'),
  consentPending: boolean('Whether a newer revision requests data areas that were not offered before.'),
  revision: integer('The revision whose data areas were offered.', 1),
  installedBy: text('Who installed the module: the subject of the token.'),
  changedBy: text('Who decided last about the accepted data areas: the subject of the token.'),
  createdAt: dateTime('When the module was installed.'),
  updatedAt: dateTime('When the accepted data areas were last decided about.'),
});

const list = endpoint({
  id: 'listInstallations',
  method: 'get',
  path: '/api/v8.0/{orgId}/installations',
  tag,
  summary: 'List installed modules',
  access: farmerMember,
  query: PAGE_QUERY,
  answers: {
    200: json(
      'A page of installations.',
      pageOf('InstallationPage', installation, 'A page of installations.'),
    ),
  },
  async handle({ api, caller, query }) {
    const page = await listInstallations(api.database, caller.organization.id, pageRequest(query));
    return ok(pageAnswer(page, installationOf));
  },
});

const read = endpoint({
  id: 'readInstallation',
  method: 'get',
  path,
  tag,
  summary: 'Read an installation',
  access: farmerMember,
  answers: { 200: json('The installation.', installation) },
  async handle({ api, caller, path }) {
    const key = { organizationId: caller.organization.id, moduleId: path.moduleId };
    const found = await findInstallation(api.database, key);
    if (found === null) throw notInstalled();
    return ok(installationOf(found));
  },
});

const put = endpoint({
  id: 'installModule',
  method: 'put',
  path,
  tag,
  summary: 'Install a module',
  description: 'Without a body, all data areas that the module declares are accepted.',
  access: farmerAdmin,
  body: mayBeMissing(jsonBody('The accepted data areas.', install)),
  answers: {
    200: json('The module was already installed.', installation),
    201: json('The module is installed.', installation),
  },
  problems: ['quota-exceeded'],
  async handle({ api, caller, path, body }) {
    const key = { organizationId: caller.organization.id, moduleId: path.moduleId };
    const accepted = body?.acceptedDataAreaIds?.map((id) => id.toLowerCase()) ?? null;
    const { maxInstallationsPerOrganization: max } = api.config.quotas;
    const actor = { ...actorOf(caller.principal), max };
    const installed = await putInstallation(api.database, key, accepted, actor);
    if (!('installation' in installed)) throw refusalOf(installed);
    return createdOrOk(installed.outcome === 'created', installationOf(installed.installation));
  },
});

const remove = endpoint({
  id: 'uninstallModule',
  method: 'delete',
  path,
  tag,
  summary: 'Uninstall a module',
  description: 'The farmer keeps rules and alerts; the module can no longer read them.',
  access: farmerAdmin,
  answers: { 204: DELETED },
  async handle({ api, caller, path }) {
    const key = { organizationId: caller.organization.id, moduleId: path.moduleId };
    if (!(await deleteInstallation(api.database, key, actorOf(caller.principal)))) throw notInstalled();
    return NO_CONTENT;
  },
});

/** The modules that a farmer has installed. */
export const INSTALLATION_ENDPOINTS = [list, read, put, remove];

function refusalOf(put: Exclude<InstallOutcome, { readonly installation: Installation }>): ProblemError {
  if (put.outcome === 'module-missing')
    return new ProblemError('not-found', "The organization's tenant offers no such module.");
  return bodyProblem(
    put.positions.map((index) => ({
      pointer: `/acceptedDataAreaIds/${index}`,
      detail: 'The module does not declare this data area.',
    })),
  );
}

function notInstalled(): ProblemError {
  return new ProblemError('not-found', 'The organization does not have this module installed.');
}

function installationOf(row: Installation): Static<typeof installation> {
  return {
    organizationId: row.organizationId,
    moduleId: row.moduleId,
    acceptedDataAreaIds: row.acceptedDataAreaIds,
    consentPending: row.consentPending,
    revision: row.offeredRevision,
    installedBy: row.createdBy,
    changedBy: row.updatedBy,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
