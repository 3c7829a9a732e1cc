import { DELETED, json, jsonRequest, ref } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { IF_NONE_MATCH, MODULE_FILTER, PAGE, query, WITH_ARCHIVED } from '../parameters.ts';
import { choice, page } from '../schema-parts.ts';
import { structuresAnswers } from '../structures-answers.ts';

const STRUCTURES = 'Farm structures';
const INSTALLATIONS = 'Installations';
const ALERTS = 'Alerts';

const structures: readonly Operation[] = [
  {
    id: 'readStructures',
    method: 'get',
    path: '/api/v8.0/{orgId}/structures',
    tag: STRUCTURES,
    summary: 'Read the own farms',
    access: 'farmerMember',
    parameters: [WITH_ARCHIVED, IF_NONE_MATCH],
    answers: structuresAnswers('OwnStructures', 'FeatureCollection', []),
    problems: ['rate-limited'],
  },
  {
    id: 'writeStructures',
    method: 'put',
    path: '/api/v8.0/{orgId}/structures',
    tag: STRUCTURES,
    summary: 'Write farms',
    description:
      'Creates or updates by ID; structures that the body leaves out stay. The whole body is stored, or nothing.',
    access: 'farmerAdmin',
    body: jsonRequest('Farms, or a GeoJSON FeatureCollection.', {
      anyOf: [ref('WrittenFarms'), ref('WrittenFeatureCollection')],
    }),
    answers: { 200: json('How many were created and updated.', ref('WrittenResult')) },
    problems: ['request-too-large'],
  },
  {
    id: 'deleteStructures',
    method: 'delete',
    path: '/api/v8.0/{orgId}/structures',
    tag: STRUCTURES,
    summary: 'Erase the own farms',
    access: 'farmerAdmin',
    answers: { 204: DELETED },
  },
];

const installations: readonly Operation[] = [
  {
    id: 'listInstallations',
    method: 'get',
    path: '/api/v8.0/{orgId}/installations',
    tag: INSTALLATIONS,
    summary: 'List installed modules',
    access: 'farmerMember',
    parameters: PAGE,
    answers: { 200: json('A page of installations.', page(ref('Installation'), 'Installations.')) },
  },
  {
    id: 'readInstallation',
    method: 'get',
    path: '/api/v8.0/{orgId}/installations/{moduleId}',
    tag: INSTALLATIONS,
    summary: 'Read an installation',
    access: 'farmerMember',
    answers: { 200: json('The installation.', ref('Installation')) },
  },
  {
    id: 'installModule',
    method: 'put',
    path: '/api/v8.0/{orgId}/installations/{moduleId}',
    tag: INSTALLATIONS,
    summary: 'Install a module',
    description: 'Without a body, all that the module declares is accepted.',
    access: 'farmerAdmin',
    body: jsonRequest('What the module may read.', ref('Install'), false),
    answers: {
      200: json('It was installed already.', ref('Installation')),
      201: json('It is installed.', ref('Installation')),
    },
    problems: ['request-too-large'],
  },
  {
    id: 'uninstallModule',
    method: 'delete',
    path: '/api/v8.0/{orgId}/installations/{moduleId}',
    tag: INSTALLATIONS,
    summary: 'Uninstall a module',
    description: 'Rules and alerts stay with the farmer, hidden from the module.',
    access: 'farmerAdmin',
    answers: { 204: DELETED },
  },
];

const alerts: readonly Operation[] = [
  {
    id: 'listAlerts',
    method: 'get',
    path: '/api/v8.0/{orgId}/alerts',
    tag: ALERTS,
    summary: 'List alerts',
    description: 'Newest first.',
    access: 'farmerMember',
    parameters: [
      ...PAGE,
      query('status', 'Only those in this status.', choice(['firing', 'resolved'])),
      MODULE_FILTER,
    ],
    answers: { 200: json('A page of alerts.', page(ref('Alert'), 'Alerts.')) },
  },
  {
    id: 'acknowledgeAlert',
    method: 'post',
    path: '/api/v8.0/{orgId}/alerts/{alertId}/acknowledge',
    tag: ALERTS,
    summary: 'Acknowledge an alert',
    access: 'farmerAdmin',
    answers: { 200: json('The alert.', ref('Alert')) },
  },
];

/** What farmers do. */
export const FARMER_OPERATIONS: readonly Operation[] = [...structures, ...installations, ...alerts];
