import { Router } from 'express';
import type { Request } from 'express';
import {
  createAlertRule,
  deleteAlertRule,
  findAlertRule,
  listAlertRules,
  updateAlertRule,
} from '../../shared/db/alerts/alert-rules.ts';
import type { AlertRuleKey, AlertRuleOutcome, AlertRuleWrite } from '../../shared/db/alerts/alert-rules.ts';
import type { AlertRuleModel } from '../../shared/db/models.ts';
import { GUID_PATTERN, MAX_NAME_LENGTH } from '../../shared/package/schema/schema-parts.ts';
import type { ApiContext } from '../context.ts';
import type { Role } from '../auth/access-token.ts';
import { guidParameter, guidQuery, methodNotAllowed, ProblemError } from '../http/problem.ts';
import { bodyProblem, bodyReader, bodySchema, jsonBody } from '../http/json-body.ts';
import { pageAnswer, pageRequest } from '../http/pagination.ts';
import { ruleItem } from './rule-item.ts';

interface AlertRuleChange {
  readonly moduleId?: string;
  readonly criteria: string;
  readonly values: AlertRuleModel['ruleValues'];
  readonly name?: string | null;
  readonly enabled?: boolean;
}

interface NewAlertRule extends AlertRuleChange {
  readonly moduleId: string;
}

const properties = {
  moduleId: { type: 'string', pattern: GUID_PATTERN },
  criteria: { type: 'string', maxLength: MAX_NAME_LENGTH },
  // What each part takes is told by the module's definition.
  values: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
  name: { type: ['string', 'null'], maxLength: MAX_NAME_LENGTH },
  enabled: { type: 'boolean' },
};

const rule = { type: 'object', additionalProperties: false, properties };
/** The body that makes a rule. */
export const newAlertRule = bodySchema<NewAlertRule>({
  ...rule,
  required: ['moduleId', 'criteria', 'values'],
});
/** The body that replaces a rule. */
export const alertRuleChange = bodySchema<AlertRuleChange>({ ...rule, required: ['criteria', 'values'] });

/** The rules that farmers make from what modules offer. */
export function alertRulesRouter(api: ApiContext): Router {
  const router = Router();
  addRules(router, api);
  addRule(router, api);
  return router;
}

function addRules(router: Router, api: ApiContext): void {
  const readBody = bodyReader(api.config.server.maxJsonBodyBytes);

  router.get('/:orgId/alertRules', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationMember', 'farmer');
    const moduleId = guidQuery(request, 'moduleId');
    const page = await listAlertRules(api.database, organization.id, moduleId, pageRequest(request));
    response.json(pageAnswer(page, ruleItem));
  });
  router.post('/:orgId/alertRules', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationAdmin', 'farmer');
    await readBody(request, response);
    const body = jsonBody(request, newAlertRule);
    const moduleId = body.moduleId.toLowerCase();
    const made = writtenRule(await createAlertRule(api.database, organization.id, moduleId, writeOf(body)));
    response.status(201).location(`/api/v8.0/${organization.id}/alertRules/${made.id}`).json(ruleItem(made));
  });
  router.all('/:orgId/alertRules', methodNotAllowed('GET', 'POST'));
}

function addRule(router: Router, api: ApiContext): void {
  const readBody = bodyReader(api.config.server.maxJsonBodyBytes);

  router.get('/:orgId/alertRules/:ruleId', async (request, response) => {
    const found = await findAlertRule(api.database, await ruleKey(api, request, 'OrganizationMember'));
    if (found === null) throw noRule();
    response.json(ruleItem(found));
  });
  router.put('/:orgId/alertRules/:ruleId', async (request, response) => {
    const key = await ruleKey(api, request, 'OrganizationAdmin');
    await readBody(request, response);
    const body = jsonBody(request, alertRuleChange);
    const moduleId = body.moduleId?.toLowerCase() ?? null;
    const changed = await updateAlertRule(api.database, key, moduleId, writeOf(body));
    if (changed === null) throw noRule();
    response.json(ruleItem(writtenRule(changed)));
  });
  router.delete('/:orgId/alertRules/:ruleId', async (request, response) => {
    const key = await ruleKey(api, request, 'OrganizationAdmin');
    if (!(await deleteAlertRule(api.database, key))) throw noRule();
    response.status(204).end();
  });
  router.all('/:orgId/alertRules/:ruleId', methodNotAllowed('GET', 'PUT', 'DELETE'));
}

async function ruleKey(api: ApiContext, request: Request, role: Role): Promise<AlertRuleKey> {
  const { organization } = await api.access.organization(request, role, 'farmer');
  return { organizationId: organization.id, ruleId: guidParameter(request, 'ruleId') };
}

function noRule(): ProblemError {
  return new ProblemError('not-found', 'The organization has no such alert rule.');
}

function writeOf({ criteria, values, name = null, enabled = true }: AlertRuleChange): AlertRuleWrite {
  return { criteria, values, name, enabled };
}

function writtenRule(outcome: AlertRuleOutcome): AlertRuleModel {
  if ('faults' in outcome) throw bodyProblem(outcome.faults);
  return outcome.rule;
}
