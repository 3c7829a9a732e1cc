import { findModuleAlertRules, listModuleRules } from '../../shared/db/alerts/module-alert-rules.ts';
import { declaresDataArea } from '../../shared/db/access/module-grants.ts';
import { raiseAlerts } from '../../shared/db/alerts/raise-alerts.ts';
import type { AlertIssue } from '../../shared/db/alerts/raise-alerts.ts';
import { alertRuleOf, alertRulePage } from '../alert-rules/alert-rule.ts';
import { apiKeyFor } from '../auth/endpoint-access.ts';
import type { EndpointAccess } from '../auth/endpoint-access.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { bodyProblem, jsonBody } from '../http/json-body.ts';
import type { BodyIssue } from '../http/validate-body.ts';
import { PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { IF_NONE_MATCH } from '../http/conditional.ts';
import { guid, inputGuid, integer, namedObject, orNull } from '../http/schema.ts';
import { alertRuleDefinitions } from '../modules/normal-form.ts';
import { sendStructures, structuresAnswers } from '../structures/send-structures.ts';
import { moduleFeatureCollection, moduleStructures } from '../structures/structure-schemas.ts';
import { findForModule, MODULE_STRUCTURES_QUERY } from '../structures/structures-request.ts';
import { dataAreaMissing } from './caller.ts';
import type { MachineCaller } from './caller.ts';
import { raiseAlertsBody, raisedAlerts, readAlerts } from './raised-alerts.ts';

const tag = 'Machine access';

const readStructures = endpoint({
  id: 'readModuleStructures',
  method: 'get',
  path: '/api/v8.0/Alerts/StructuresByModuleId/{moduleId}',
  tag,
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

const alertsKey = apiKeyFor('FarmOrganizationAlerts');

/** A key of a module that declares the data area of alerts. */
const alertsAccess: EndpointAccess<MachineCaller> = {
  ...alertsKey,
  async authorize(api, request, response) {
    const caller = await alertsKey.authorize(api, request, response);
    if (await declaresDataArea(api.database, caller.moduleId, caller.dataAreaId)) return caller;
    throw dataAreaMissing('FarmOrganizationAlerts');
  },
};

const moduleAlertRules = namedObject('ModuleAlertRules', "The definitions for a module's alert rules.", {
  moduleId: guid('The module of the key.'),
  revision: orNull(integer('The number of the current revision; null if there is none.', 1)),
  alertRules: orNull(alertRuleDefinitions, 'The definitions of the current revision; null if it has none.'),
});

const readAlertRules = endpoint({
  id: 'readModuleAlertRules',
  method: 'get',
  path: '/api/v8.0/Alerts/RuleDefinitionsByModuleId/{moduleId}',
  tag,
  summary: 'Read alert rule definitions',
  access: alertsAccess,
  answers: { 200: json('The definitions of the current revision.', moduleAlertRules) },
  async handle({ api, caller: { moduleId } }) {
    const found = await findModuleAlertRules(api.database, moduleId);
    const { revision = null, alertRules = null } = found ?? {};
    return ok({ moduleId, revision, alertRules });
  },
});

const listRules = endpoint({
  id: 'listModuleRules',
  method: 'get',
  path: '/api/v8.0/Alerts/RulesByModuleId/{moduleId}',
  tag,
  summary: 'List alert rules of farmers',
  description:
    'Newest first. Only rules of organizations that granted `FarmOrganizationAlerts` to the module.',
  access: alertsAccess,
  query: { ...PAGE_QUERY, organizationId: inputGuid('Only rules of this organization.') },
  answers: { 200: json('A page of rules.', alertRulePage) },
  async handle({ api, caller, query }) {
    const filter = { ...caller, organizationId: query.organizationId ?? null };
    return ok(pageAnswer(await listModuleRules(api.database, filter, pageRequest(query)), alertRuleOf));
  },
});

const raise = endpoint({
  id: 'raiseAlerts',
  method: 'post',
  path: '/api/v8.0/Alerts/AlertsByModuleId/{moduleId}',
  tag,
  summary: 'Raise and resolve alerts',
  description: 'Validates the whole batch first. If any alert is not valid, nothing is stored.',
  access: alertsAccess,
  body: jsonBody('The alerts.', raiseAlertsBody),
  answers: { 200: json('The outcome of each alert.', raisedAlerts) },
  problems: ['quota-exceeded'],
  async handle({ api, caller, body }) {
    const max = api.config.quotas.maxOpenAlertsPerInstallation;
    const raised = await raiseAlerts(api.database, caller, readAlerts(body.alerts), max);
    if ('issues' in raised) throw bodyProblem(raised.issues.map(issueOf));
    return ok(raised);
  },
});

/** The endpoints for a module's back end, with its API key. */
export const MACHINE_ENDPOINTS = [readStructures, readAlertRules, listRules, raise];

function issueOf({ index, member }: AlertIssue): BodyIssue {
  return {
    pointer: `/alerts/${index}/${member}`,
    detail:
      member === 'ruleId'
        ? 'The module has no such rule in an organization that granted it alerts.'
        : "The rule's organization has no such structure of this type.",
  };
}
