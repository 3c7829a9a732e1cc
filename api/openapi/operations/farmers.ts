import { FILE_ANSWERS, FILE_PARAMETERS } from '../file-answers.ts';
import { DELETED, json, jsonRequest, ref } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { MODULE_FILTER, PAGE, query } from '../parameters.ts';
import { choice, page } from '../schema-parts.ts';

const INSTALLATIONS = 'Installations';
const ALERTS = 'Alerts';

const installations: readonly Operation[] = [
  {
    id: 'listAvailableModules',
    method: 'get',
    path: '/api/v8.0/{orgId}/availableModules',
    tag: INSTALLATIONS,
    summary: 'List modules on offer',
    description: 'The modules of the own tenant, newest first.',
    access: 'farmerMember',
    parameters: PAGE,
    answers: { 200: json('A page of modules.', page(ref('AvailableModuleSummary'), 'Modules on offer.')) },
  },
  {
    id: 'readAvailableModule',
    method: 'get',
    path: '/api/v8.0/{orgId}/availableModules/{moduleId}',
    tag: INSTALLATIONS,
    summary: 'Read a module on offer',
    access: 'farmerMember',
    answers: { 200: json('The module.', ref('AvailableModule')) },
  },
  {
    id: 'readLogo',
    method: 'get',
    path: '/api/v8.0/{orgId}/availableModules/{moduleId}/logo',
    tag: INSTALLATIONS,
    summary: 'Read a logo',
    access: 'farmerMember',
    parameters: [
      query('path', 'Path of the logo; without it the first.', { type: 'string' }),
      ...FILE_PARAMETERS,
    ],
    answers: FILE_ANSWERS,
  },
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
export const FARMER_OPERATIONS: readonly Operation[] = [...installations, ...alerts];
