import type { Response } from 'express';
import { Type } from 'typebox';
import {
  findDefiningRevision,
  findModuleAlertRules,
  findRulesState,
  listModuleRules,
  type DefiningRevision,
} from '../../shared/db/alerts/module-alert-rules.ts';
import { raiseAlerts, type AlertIssue } from '../../shared/db/alerts/raise-alerts.ts';
import { moduleRulePage, ruleAnswer } from '../alert-rules/alert-rule.ts';
import { readCurrentRules } from '../../shared/registration/recheck-module.ts';
import { alertsAccess, apiKeyFor, apiKey } from '../auth/endpoint-access.ts';
import { answerOf, json, ok, reply, type Answer } from '../http/answer.ts';
import { creatingEndpoint } from '../http/creating-endpoint.ts';
import { endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { bodyProblem, optionalJsonBody } from '../http/request/json-body.ts';
import type { BodyIssue } from '../http/request/validate-body.ts';
import { PAGE_QUERY, pageAnswer, pageRequest, mapPage, page } from '../http/pagination.ts';
import { IF_NONE_MATCH, isKnown } from '../http/request/conditional-request.ts';
import {
  booleanOrBare,
  inputGuid,
  boolean,
  dateTime,
  guid,
  integer,
  listOf,
  namedObject,
  orNull,
  inputObject,
} from '../http/schema.ts';
import { alertRuleDefinitions } from '../modules/normal-form.ts';
import { sendStructures, structuresAnswers } from '../structures/send-structures.ts';
import { moduleFeatureCollection, moduleStructures } from '../structures/structure-schemas.ts';
import { findForModule, MODULE_STRUCTURES_QUERY } from '../structures/structures-request.ts';
import {
  problemItems,
  raiseAlertsBody,
  raisedAlerts,
  readAlerts,
  type AlertBodyIssue,
} from './raised-alerts.ts';
import { listInstallations } from '../../shared/db/access/installations.ts';
import type { Page } from '../../shared/db/keyset-page.ts';
import { reportRules } from '../../shared/db/alerts/report-rules.ts';
import { pendingConsentOf } from '../../shared/registration/pending-consent.ts';

/** For the ID of a rule that the module does not see. */
const NO_SUCH_RULE = 'The module has no such rule in an organization that granted it alerts.';

const moduleInstallation = namedObject(
  'ModuleInstallation',
  'An organization that has the module installed.',
  {
    organizationId: guid('The organization of the farmer.'),
    revision: orNull(integer('The revision that the organization sees; null if none is released to it.', 1)),
    acceptedDataAreaIds: listOf(guid('The ID of a data area.'), 'The data areas that the farmer accepts.'),
    grantedDataAreaIds: listOf(
      guid('The ID of a data area.'),
      'The data areas that the key may read: the farmer accepts them, and the revision declares them.',
    ),
    consentPending: boolean('Whether the revision needs consent to more data areas or to other terms.'),
    createdAt: dateTime('When the module was installed.'),
    updatedAt: dateTime('When the installation last changed.'),
  },
);

/** Where a module is installed: with it, a back end starts anew. */
const installations = listEndpoint('/api/v8.0/Alerts/InstallationsByModuleId/{moduleId}', {
  id: 'listModuleInstallations',
  summary: 'List installations of the module',
  description:
    'Newest first. Needs no data area. Read it once, and then again after 410 `changes-expired`: first read changes ' +
    'without `cursor` and keep `nextCursor`, then read installations, structures and rules.',
  access: apiKey,
  page: page(moduleInstallation, 'installations of a module', { brief: 'installations' }),
  async list({ api, request, caller: { moduleId } }, pageRequest) {
    const page = await listInstallations(api.database, { moduleId }, pageRequest);
    api.dataReads.note(request, { moduleId, kind: 'installations' }, organizationsOf(page));
    return mapPage(page, (row) =>
      answerOf(row, {
        grantedDataAreaIds: row.isSuspended
          ? []
          : row.acceptedDataAreaIds.filter((id) => row.dataAreaIds?.includes(id)),
        consentPending: pendingConsentOf(row) !== null,
      }),
    );
  },
});

const readStructures = endpoint('get', '/api/v8.0/Alerts/StructuresByModuleId/{moduleId}', {
  id: 'readModuleStructures',
  summary: 'Read farm structures',
  description:
    'The farms of every organization that installed the module and granted it `FarmOrganization`, by ID. ' +
    'Returns a page of organizations with `limit`, otherwise all of them in one stream.',
  // The query for the structures also checks that the module declares the data area: one query per request.
  access: apiKeyFor('FarmOrganization'),
  query: MODULE_STRUCTURES_QUERY,
  headers: IF_NONE_MATCH,
  answers: structuresAnswers(moduleStructures, moduleFeatureCollection, ['Link?']),
  async handle(call) {
    return sendStructures(call, findForModule(call), call.caller);
  },
});

const VERSION_HEADERS = ['ETag', 'Cache-Control'];

/** An answer with a version, and that the caller has it already. */
function versioned<Body>(answer: Answer<Body>) {
  const known: Answer<undefined> = { description: 'The caller has this version.', headers: VERSION_HEADERS };
  return { 200: { ...answer, headers: VERSION_HEADERS }, 304: known };
}

/** Weak: another release of the service may write the same in other bytes. */
function versionHeaders(response: Response, version: string) {
  response.vary('X-Api-Key');
  return { ETag: `W/"${version}"`, 'Cache-Control': 'private, no-cache' };
}

function definitionsVersion(found: DefiningRevision | null): string {
  return found === null ? 'none' : `${found.revision}.${found.archiveSha256.slice(0, 32)}`;
}

const moduleAlertRules = namedObject('ModuleAlertRules', "The definitions for a module's alert rules.", {
  moduleId: guid('The module of the key.'),
  revision: orNull(integer('The number of the current revision; null if there is none.', 1)),
  alertRules: orNull(alertRuleDefinitions, 'The definitions of the current revision; null if it has none.'),
});

const readAlertRules = endpoint('get', '/api/v8.0/Alerts/RuleDefinitionsByModuleId/{moduleId}', {
  id: 'readModuleAlertRules',
  summary: 'Read alert rule definitions',
  access: alertsAccess,
  headers: IF_NONE_MATCH,
  answers: versioned(json('The definitions of the current revision.', moduleAlertRules)),
  async handle({ api, request, response, caller: { moduleId } }) {
    if (request.headers['if-none-match'] !== undefined) {
      const version = definitionsVersion(await findDefiningRevision(api.database, moduleId));
      const headers = versionHeaders(response, version);
      if (isKnown(request, headers.ETag)) return reply(304, undefined, headers);
    }
    const found = await findModuleAlertRules(api.database, moduleId);
    const { revision = null, alertRules = null } = found ?? {};
    return ok({ moduleId, revision, alertRules }, versionHeaders(response, definitionsVersion(found)));
  },
});

const listRules = endpoint('get', '/api/v8.0/Alerts/RulesByModuleId/{moduleId}', {
  id: 'listModuleRules',
  summary: 'List alert rules of farmers',
  description:
    'Newest first. Only rules of organizations that granted `FarmOrganizationAlerts` to the module.',
  access: alertsAccess,
  query: { ...PAGE_QUERY, organizationId: inputGuid('Only rules of this organization.') },
  headers: IF_NONE_MATCH,
  answers: versioned(moduleRulePage),
  // Committed changes get their version.
  followsChanges: true,
  async handle(call) {
    const { api, request, response, caller, query } = call;
    const headers = versionHeaders(response, await findRulesState(api.database, caller.moduleId));
    if (isKnown(request, headers.ETag)) return reply(304, undefined, headers);
    const filter = { ...caller, organizationId: query.organizationId ?? null };
    const page = await readCurrentRules(
      api.database,
      ({ rows }) => rows,
      () => listModuleRules(api.database, filter, pageRequest(call)),
    );
    api.dataReads.note(request, { moduleId: caller.moduleId, kind: 'alertRules' }, organizationsOf(page));
    return ok(pageAnswer(call, mapPage(page, ruleAnswer)), headers);
  },
});

const raise = creatingEndpoint('/api/v8.0/Alerts/AlertsByModuleId/{moduleId}', {
  id: 'raiseAlerts',
  summary: 'Raise and resolve alerts',
  description:
    'Validates the whole batch first. If any alert is not valid, nothing is stored. With `partial` the valid ones are ' +
    'stored, in their order and as far as the quota allows, and the others have a `problem` in the answer.',
  access: alertsAccess,
  query: { partial: booleanOrBare('Whether to store the valid alerts of a batch if others are not valid.') },
  body: raiseAlertsBody,
  answers: { 200: json('The outcome of each alert.', raisedAlerts) },
  problems: ['quota-exceeded'],
  async handle({ api, caller, query, body, limits: { maxOpenAlertsPerInstallation: maxOpen } }) {
    const isPartial = query.partial === true;
    const { alerts, issues } = readAlerts(body);
    const stores = isPartial ? 'valid' : issues.length === 0 ? 'all' : 'none';
    const raised = await raiseAlerts(api.database, caller, alerts, { stores, maxOpen });
    const found = raised.issues.map((each) => issueOf({ ...each, index: alerts[each.index]?.index ?? 0 }));
    const all = [...issues, ...found].toSorted((a, b) => a.index - b.index);
    if (all.length > 0 && !isPartial) throw bodyProblem(all.map(withoutIndex));
    if (!isPartial) return ok({ results: raised.results.filter((each) => each !== null) });
    const taken = raised.results.flatMap((each, at) =>
      each === null ? [] : [{ ...each, index: alerts[at]?.index ?? 0 }],
    );
    return ok({ results: [...taken, ...problemItems(all)].toSorted((a, b) => a.index - b.index) });
  },
});

const MAX_RULES = 1_000;

const reportBody = inputObject('ReportRules', 'The rules that were checked.', {
  ruleIds: Type.Optional(
    Type.Array(inputGuid('The ID of a rule.'), {
      minItems: 1,
      maxItems: MAX_RULES,
      description: 'The rules. Default: all that the key can read.',
    }),
  ),
});

const reportedRules = namedObject('ReportedRules', 'What was reported.', {
  rules: integer('The number of rules.'),
});

/** A back end that has found nothing says so: its farmers would otherwise take it for one that does not run. */
const report = endpoint('post', '/api/v8.0/Alerts/ReportsByModuleId/{moduleId}', {
  id: 'reportRules',
  summary: 'Report that alert rules were checked',
  description:
    'Call it where rules were checked and there is no alert to raise; an alert also reports its rule. Farmers see rules ' +
    'that were not reported within `expectedIntervalHours`. Reports are recorded once a minute.',
  access: alertsAccess,
  body: optionalJsonBody('The rules; without a body all that the key can read.', reportBody),
  answers: { 200: json('The number of rules that were reported.', reportedRules) },
  async handle({ api, caller: { id, moduleId, dataAreaId }, body }) {
    const ruleIds = body.ruleIds?.map((id) => id.toLowerCase()) ?? null;
    const reported = await reportRules(api.database, { id, moduleId, dataAreaId, ruleIds });
    if ('rules' in reported) return ok(reported);
    const { unknownIds } = reported;
    const issues = (ruleIds ?? []).flatMap((id, index) =>
      unknownIds.has(id) ? [{ pointer: `/ruleIds/${index}`, detail: NO_SUCH_RULE }] : [],
    );
    throw bodyProblem(issues);
  },
});

/** The endpoints for a module's back end, with its API key. */
export const MACHINE_ENDPOINTS = tagged('Machine access', [
  readStructures,
  readAlertRules,
  listRules,
  raise,
  report,
  installations,
]);

const organizationsOf = ({ rows }: Page<{ readonly organizationId: string }>) =>
  rows.map(({ organizationId }) => organizationId);

const withoutIndex = ({ pointer = '', detail }: AlertBodyIssue): BodyIssue => ({ pointer, detail });

function issueOf({ index, member }: AlertIssue): AlertBodyIssue {
  if (member === 'quota') return { index, isBeyondQuota: true, detail: '' };
  return {
    index,
    pointer: `/alerts/${index}/${member}`,
    detail:
      member === 'ruleId' ? NO_SUCH_RULE : "The rule's organization has no such structure of this type.",
  };
}
