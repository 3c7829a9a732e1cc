import { json, jsonRequest, ref } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { IF_NONE_MATCH, ORGANIZATION_FILTER, PAGE, WITH_ARCHIVED } from '../parameters.ts';
import { page } from '../schema-parts.ts';
import { structuresAnswers } from '../structures-answers.ts';

const tag = 'Machine access';
const RATE = ['RateLimit-Policy?', 'RateLimit?'];

/** What a module's own back end calls. */
export const MACHINE_OPERATIONS: readonly Operation[] = [
  {
    id: 'readModuleStructures',
    method: 'get',
    path: '/api/v8.0/Alerts/StructuresByModuleId/{moduleId}',
    tag,
    summary: 'Read farm structures',
    description:
      'The farms of every organization that has the module installed and opened `FarmOrganization` to it, by ID. ' +
      'With `limit` a page of organizations, without it all of them in one stream.',
    access: 'apiKey',
    parameters: [...PAGE, ORGANIZATION_FILTER, WITH_ARCHIVED, IF_NONE_MATCH],
    answers: structuresAnswers('ModuleStructures', 'ModuleFeatureCollection', ['Link?', ...RATE]),
  },
  {
    id: 'readModuleAlertRules',
    method: 'get',
    path: '/api/v8.0/Alerts/RuleDefinitionsByModuleId/{moduleId}',
    tag,
    summary: 'Read alert rule definitions',
    access: 'apiKey',
    answers: { 200: json('The definitions of the current revision.', ref('ModuleAlertRules'), RATE) },
  },
  {
    id: 'listModuleRules',
    method: 'get',
    path: '/api/v8.0/Alerts/RulesByModuleId/{moduleId}',
    tag,
    summary: 'List the rules that farmers built',
    description: 'Newest first; those of organizations that opened `FarmOrganizationAlerts` to the module.',
    access: 'apiKey',
    parameters: [...PAGE, ORGANIZATION_FILTER],
    answers: { 200: json('A page of rules.', page(ref('AlertRule'), 'Alert rules.'), RATE) },
  },
  {
    id: 'raiseAlerts',
    method: 'post',
    path: '/api/v8.0/Alerts/AlertsByModuleId/{moduleId}',
    tag,
    summary: 'Raise and resolve alerts',
    description: 'The whole batch is checked first; with any bad alert nothing is stored.',
    access: 'apiKey',
    body: jsonRequest('The alerts.', ref('RaiseAlerts')),
    answers: { 200: json('What became of each.', ref('RaisedAlerts'), RATE) },
    problems: ['request-too-large'],
  },
];
