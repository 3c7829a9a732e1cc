import { DELETED, json, jsonRequest, ref } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { MODULE_FILTER, PAGE } from '../parameters.ts';
import { page } from '../schema-parts.ts';

const tag = 'Alert rules';

/** The rules that farmers make from what modules offer. */
export const ALERT_RULE_OPERATIONS: readonly Operation[] = [
  {
    id: 'listAlertRules',
    method: 'get',
    path: '/api/v8.0/{orgId}/alertRules',
    tag,
    summary: 'List alert rules',
    description: 'Newest first.',
    access: 'farmerMember',
    parameters: [...PAGE, MODULE_FILTER],
    answers: { 200: json('A page of rules.', page(ref('AlertRule'), 'Alert rules.')) },
  },
  {
    id: 'createAlertRule',
    method: 'post',
    path: '/api/v8.0/{orgId}/alertRules',
    tag,
    summary: 'Make an alert rule',
    access: 'farmerAdmin',
    body: jsonRequest('The rule: every part of the criterion has a value.', ref('NewAlertRule')),
    answers: { 201: json('The rule.', ref('AlertRule'), ['Location']) },
    problems: ['request-too-large'],
  },
  {
    id: 'readAlertRule',
    method: 'get',
    path: '/api/v8.0/{orgId}/alertRules/{ruleId}',
    tag,
    summary: 'Read an alert rule',
    access: 'farmerMember',
    answers: { 200: json('The rule.', ref('AlertRule')) },
  },
  {
    id: 'replaceAlertRule',
    method: 'put',
    path: '/api/v8.0/{orgId}/alertRules/{ruleId}',
    tag,
    summary: 'Replace an alert rule',
    access: 'farmerAdmin',
    body: jsonRequest('The rule; its module stays.', ref('AlertRuleChange')),
    answers: { 200: json('The rule.', ref('AlertRule')) },
    problems: ['request-too-large'],
  },
  {
    id: 'deleteAlertRule',
    method: 'delete',
    path: '/api/v8.0/{orgId}/alertRules/{ruleId}',
    tag,
    summary: 'Delete an alert rule',
    description: 'Its open alerts are resolved.',
    access: 'farmerAdmin',
    answers: { 204: DELETED },
  },
];
