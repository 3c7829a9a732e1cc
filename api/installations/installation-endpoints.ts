import { Type } from 'typebox';
import {
  deleteInstallation,
  findInstallation,
  listInstallations,
  type InstallationRow,
} from '../../shared/db/access/installations.ts';
import type { PageRequest } from '../../shared/db/keyset-page.ts';
import type { ApiContext } from '../context.ts';
import { pendingConsentOf } from '../../shared/registration/pending-consent.ts';
import { actorOf, moduleKey } from '../auth/access.ts';
import { farmerAdmin, farmerMember } from '../auth/endpoint-access.ts';
import { moduleDocument } from '../available-modules/available-module.ts';
import { created, createdOrOk, json, ok, answerOf } from '../http/answer.ts';
import { deleteEndpoint, endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { allowedTags } from '../http/request/conditional-request.ts';
import { jsonBody, mayBeMissing } from '../http/request/json-body.ts';
import { page, mapPage } from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import {
  boolean,
  dateTime,
  guid,
  inputGuid,
  inputObject,
  integer,
  listOf,
  namedObject,
  orNull,
  sha256,
  text,
} from '../http/schema.ts';
import { application, applicationsOf } from './application.ts';
import { listConsents } from '../../shared/db/access/consents.ts';
import { installModule } from './install-module.ts';
import { installRefusal } from './install-refusal.ts';

/** Of an installation and of a consent. */
const seenRevision = orNull(
  integer('The same revision, if `If-Match` of the request named its offer.', 1),
  'The revision that the farmer saw; null: the request named no offer, and what was current was accepted.',
);

const path = '/api/v8.0/{orgId}/installations/{moduleId}';
const NO_TAG =
  'If-Match must be the ETag of the offer, in its quotes, as GET …/availableModules/{moduleId} returned it.';
const NOT_INSTALLED = 'The organization does not have this module installed.';

const install = inputObject('Install', 'The data that the farmer lets the module read.', {
  acceptedDataAreaIds: Type.Optional(
    Type.Array(inputGuid('An ID of the catalogue.'), {
      maxItems: 1000,
      description: 'The accepted data areas. Default: all that the module declares.',
    }),
  ),
  acceptedTerms: Type.Optional(
    Type.Array(sha256('The SHA-256 of a terms file.'), {
      maxItems: 1000,
      description:
        'The SHA-256 of each terms file that is accepted: all files for the country in one language. Default: those of ' +
        'the offer in `If-Match`, else those that apply now, in English if they exist in it. If the module is installed and only `acceptedDataAreaIds` ' +
        'is given, the terms that were accepted before stay.',
    }),
  ),
});

const pendingConsent = namedObject('PendingConsent', 'The consent that a newer revision needs.', {
  revision: integer('The revision that needs consent.', 1),
  dataAreaIds: listOf(guid('An ID of the catalogue.'), 'The data areas that were not offered before.'),
  terms: listOf(
    moduleDocument,
    "The terms for the organization's country, in each language, if they are not the accepted ones.",
  ),
});

/** An installation in answers. */
export const installation = namedObject('Installation', 'A module that a farmer has installed.', {
  organizationId: guid('The organization of the farmer.'),
  moduleId: guid('The installed module.'),
  acceptedDataAreaIds: listOf(guid('An ID of the catalogue.'), 'The data areas that the module may read.'),
  acceptedTerms: listOf(sha256('A SHA-256 in hexadecimal digits.'), 'The terms files that were accepted.'),
  consentPending: boolean('Whether a newer revision needs consent to more data areas or to other terms.'),
  pendingConsent: orNull(pendingConsent, 'The pending consent; null if there is none.'),
  revision: integer('The revision whose data areas were offered.', 1),
  seenRevision,
  app: orNull(
    application,
    'The application for a host to load; null if this service serves no applications, or the module is in quarantine.',
  ),
  installedBy: text('The person who installed the module: the subject of the token.'),
  changedBy: text('The person who last decided about the accepted data areas: the subject of the token.'),
  createdAt: dateTime('When the module was installed.'),
  updatedAt: dateTime('When the accepted data areas were last decided about.'),
});

const list = listEndpoint('/api/v8.0/{orgId}/installations', {
  id: 'listInstallations',
  summary: 'List installed modules',
  access: farmerMember,
  page: page(installation, 'installations'),
  list: ({ api, caller: { organization } }, request) => installationsOf(api, organization.id, request),
});

const read = endpoint('get', path, {
  id: 'readInstallation',
  summary: 'Read an installation',
  access: farmerMember,
  answers: { 200: json('The installation.', installation) },
  async handle({ api, caller, path }) {
    const key = moduleKey(caller, path);
    const row = found(await findInstallation(api.database, key), NOT_INSTALLED);
    return ok(installationAnswer(row, await applicationsOf(api, key.organizationId, [key.moduleId])));
  },
});

const put = endpoint('put', path, {
  id: 'writeInstallation',
  summary: 'Install a module',
  description:
    'Without a body, all data areas that the module declares and the terms that apply are accepted. With `If-Match`, ' +
    'only the offer that the farmer saw is: if another revision was released meanwhile, or other terms apply, nothing is ' +
    'changed and `changes` of the problem has the differences. The consent is recorded; `GET /{orgId}/consents` returns it.',
  access: farmerAdmin,
  body: mayBeMissing(jsonBody('The accepted data areas and terms.', install)),
  answers: {
    200: json('The module was already installed.', installation),
    201: created('The module is installed.', installation),
  },
  headers: {
    'If-Match': text(
      'The `ETag` of the offer that the farmer saw, as `GET /{orgId}/availableModules/{moduleId}` returned it. Without ' +
        'it, whatever is current is accepted, and the consent records that nothing was seen.',
    ),
  },
  problems: [
    'quota-exceeded',
    'installation-offer-changed',
    'installation-dependency-missing',
    'installation-terms-changed',
    'module-withdrawn',
    'module-quarantined',
  ],
  recordsChanges: true,
  // The module is not notified of earlier commits.
  followsChanges: true,
  async handle({ api, request, caller, path, body }) {
    const key = moduleKey(caller, path);
    const accepted = {
      dataAreaIds: body?.acceptedDataAreaIds?.map((id) => id.toLowerCase()) ?? null,
      terms: body?.acceptedTerms ?? null,
      offerTags: allowedTags(request, NO_TAG) ?? [],
    };
    const { maxInstallationsPerOrganization: max } = await api.organizationLimits.of(caller.organization.id);
    const actor = { ...actorOf(caller), max };
    const installed = await installModule(api.database, key, accepted, actor);
    if (!('installation' in installed)) throw installRefusal(installed, api.catalogue);
    const applications = await applicationsOf(api, key.organizationId, [key.moduleId]);
    return createdOrOk(request, installed.isNew, installationAnswer(installed.installation, applications));
  },
});

const remove = deleteEndpoint(path, {
  id: 'deleteInstallation',
  summary: 'Uninstall a module',
  description: 'The farmer keeps rules and alerts; the module can no longer read them.',
  access: farmerAdmin,
  recordsChanges: true,
  async handle({ api, caller, path }) {
    const isDeleted = await deleteInstallation(api.database, moduleKey(caller, path), actorOf(caller));
    found(isDeleted, NOT_INSTALLED);
  },
});

/** A consent in answers. */
export const consent = namedObject('Consent', 'What a farmer consented to. A record is never changed.', {
  id: guid('The ID of the record.'),
  moduleId: guid('The module.'),
  revision: integer('The revision of the module that was accepted.', 1),
  seenRevision,
  dataAreaIds: listOf(guid('An ID of the catalogue.'), 'The data areas that the module may read.'),
  terms: listOf(
    moduleDocument,
    'The terms that were accepted; empty if earlier ones were left as they were.',
  ),
  givenBy: text('Who consented: the subject of the token.'),
  createdAt: dateTime('When the farmer consented.'),
  traceId: text('The trace of the request.'),
});

const consents = listEndpoint('/api/v8.0/{orgId}/consents', {
  id: 'listConsents',
  summary: 'List consents',
  description:
    'What the organization consented to when it installed modules or changed their access, newest first. The records ' +
    'stay after a module is uninstalled or deleted.',
  access: farmerMember,
  query: { moduleId: inputGuid('Only consents to this module.') },
  page: page(consent, 'consents'),
  list: ({ api, caller, query: { moduleId = null } }, request) =>
    listConsents(api.database, caller.organization.id, moduleId, request),
});

/** The modules that a farmer has installed. */
export const INSTALLATION_ENDPOINTS = tagged('Installations', [list, read, put, remove, consents]);

/** A page of a farmer's installations, as answers have them. */
export async function installationsOf(api: ApiContext, organizationId: string, request: PageRequest) {
  const installed = await listInstallations(api.database, { organizationId }, request);
  const moduleIds = installed.rows.map(({ moduleId }) => moduleId);
  const applications = await applicationsOf(api, organizationId, moduleIds);
  return mapPage(installed, (row) => installationAnswer(row, applications));
}

function installationAnswer(row: InstallationRow, applications: Awaited<ReturnType<typeof applicationsOf>>) {
  const pendingConsent = pendingConsentOf(row);
  return answerOf(row, {
    pendingConsent,
    consentPending: pendingConsent !== null,
    revision: row.offeredRevision,
    app: applications.get(row.moduleId) ?? null,
    installedBy: row.createdBy,
    changedBy: row.updatedBy,
  });
}
