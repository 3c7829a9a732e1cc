import { Type } from 'typebox';
import { reportRules } from '../../shared/db/alerts/report-rules.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { bodyProblem, optionalJsonBody } from '../http/json-body.ts';
import { inputGuid, inputObject, integer, namedObject } from '../http/schema.ts';
import { alertsAccess, NO_SUCH_RULE } from './alerts-access.ts';

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
export const reportRulesEndpoint = endpoint('post', '/api/v8.0/Alerts/ReportsByModuleId/{moduleId}', {
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
