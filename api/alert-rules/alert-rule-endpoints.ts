import type { Static } from 'typebox';
import {
  deleteAlertRule,
  findAlertRule,
  listAlertRules,
  RULE_STATES,
  type AlertRuleFilter,
  type AlertRuleInput,
  type AlertsArea,
  type FarmerRuleModel,
} from '../../shared/db/alerts/alert-rules.ts';
import type { PageRequest } from '../../shared/db/keyset-page.ts';
import { readCurrentRules } from '../../shared/registration/recheck-module.ts';
import type { ApiContext } from '../context.ts';
import { dataAreaIdOf } from '../machine-access/caller.ts';
import { actorOf } from '../auth/access.ts';
import { farmerAdmin, farmerMember } from '../auth/endpoint-access.ts';
import { created, json, ok, reply } from '../http/answer.ts';
import { creatingEndpoint } from '../http/creating-endpoint.ts';
import { deleteEndpoint, endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { bodyProblem, jsonBody } from '../http/request/json-body.ts';
import { mapPage } from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import { inputGuid, oneOf } from '../http/schema.ts';
import { alertRule, alertRuleChange, alertRulePage, farmerRuleAnswer, newAlertRule } from './alert-rule.ts';
import { createAlertRule, updateAlertRule, type AlertRuleOutcome } from './write-alert-rule.ts';

const path = '/api/v8.0/{orgId}/alertRules';
const NO_RULE = 'The organization has no such alert rule.';

const list = listEndpoint(path, {
  id: 'listAlertRules',
  summary: 'List alert rules',
  description: 'Newest first.',
  access: farmerMember,
  query: {
    moduleId: inputGuid('Only rules of this module.'),
    state: oneOf(
      RULE_STATES,
      'Only rules in this state. `watched`: a back end watches them. `unwatched`: they are enabled, and no back end ' +
        'watches them. `off`: they are not enabled.',
    ),
  },
  page: alertRulePage,
  list: ({ api, caller, query: { moduleId = null, state = null } }, request) =>
    alertRulesOf(api, caller.organization.id, { moduleId, state }, request),
});

const create = creatingEndpoint(path, {
  id: 'createAlertRule',
  summary: 'Create an alert rule',
  access: farmerAdmin,
  body: jsonBody('The rule, with a value for every part of the criterion.', newAlertRule),
  answers: { 201: created('The rule.', alertRule) },
  recordsChanges: true,
  problems: ['quota-exceeded'],
  async handle({ api, caller, body, limits }) {
    const key = {
      organizationId: caller.organization.id,
      moduleId: body.moduleId.toLowerCase(),
      ...alertsArea(api),
    };
    const actor = { ...actorOf(caller), max: limits.maxAlertRulesPerOrganization };
    const made = ruleOf(await createAlertRule(api.database, key, inputOf(body), actor));
    const headers = { Location: `/api/v8.0/${caller.organization.id}/alertRules/${made.id}` };
    return reply(201, farmerRuleAnswer(made), headers);
  },
});

const read = endpoint('get', `${path}/{ruleId}`, {
  id: 'readAlertRule',
  summary: 'Read an alert rule',
  access: farmerMember,
  answers: { 200: json('The rule.', alertRule) },
  async handle({ api, caller, path }) {
    const key = { organizationId: caller.organization.id, ruleId: path.ruleId, ...alertsArea(api) };
    const rule = await readCurrentRules(
      api.database,
      (read) => (read === null ? [] : [read]),
      () => findAlertRule(api.database, key),
    );
    return ok(farmerRuleAnswer(found(rule, NO_RULE)));
  },
});

const replace = endpoint('put', `${path}/{ruleId}`, {
  id: 'writeAlertRule',
  summary: 'Replace an alert rule',
  access: farmerAdmin,
  body: jsonBody('The rule. Its module cannot change.', alertRuleChange),
  answers: { 200: json('The rule.', alertRule) },
  recordsChanges: true,
  async handle({ api, caller, path, body }) {
    const key = { organizationId: caller.organization.id, ruleId: path.ruleId, ...alertsArea(api) };
    const moduleId = body.moduleId?.toLowerCase() ?? null;
    const actor = actorOf(caller);
    const changed = await updateAlertRule(api.database, key, moduleId, inputOf(body), actor);
    return ok(farmerRuleAnswer(ruleOf(found(changed, NO_RULE))));
  },
});

const remove = deleteEndpoint(`${path}/{ruleId}`, {
  id: 'deleteAlertRule',
  summary: 'Delete an alert rule',
  description: 'Resolves its open alerts.',
  access: farmerAdmin,
  recordsChanges: true,
  async handle({ api, caller, path }) {
    const key = { organizationId: caller.organization.id, ruleId: path.ruleId };
    found(await deleteAlertRule(api.database, key, actorOf(caller)), NO_RULE);
  },
});

/** The alert rules of farmers. */
export const ALERT_RULE_ENDPOINTS = tagged('Alert rules', [list, create, read, replace, remove]);

/** A page of a farmer's alert rules, as answers have them. */
export async function alertRulesOf(
  api: ApiContext,
  organizationId: string,
  filter: Omit<AlertRuleFilter, keyof AlertsArea>,
  request: PageRequest,
) {
  const rules = await readCurrentRules(
    api.database,
    ({ rows }) => rows,
    () => listAlertRules(api.database, organizationId, { ...filter, ...alertsArea(api) }, request),
  );
  return mapPage(rules, farmerRuleAnswer);
}

function inputOf(body: Static<typeof alertRuleChange>): AlertRuleInput {
  const { criteria, values: ruleValues, name = null, enabled = true } = body;
  return { criteria, ruleValues, name, enabled };
}

function alertsArea(api: Pick<ApiContext, 'catalogue'>): AlertsArea {
  return { alertsAreaId: dataAreaIdOf(api, 'FarmOrganizationAlerts') };
}

function ruleOf(outcome: AlertRuleOutcome): FarmerRuleModel {
  if ('issues' in outcome) throw bodyProblem(outcome.issues);
  return outcome.rule;
}
