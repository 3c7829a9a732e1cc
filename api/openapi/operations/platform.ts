import { json, jsonRequest, ref } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { IMPORT_STATUS_FILTER, PAGE } from '../parameters.ts';
import { page } from '../schema-parts.ts';

const CATALOGUE = 'Catalogue and limits';
const OPERATORS = 'Operators';

const catalogue: readonly Operation[] = [
  {
    id: 'readLimits',
    method: 'get',
    path: '/api/v8.0/limits',
    tag: CATALOGUE,
    summary: 'Read the limits',
    access: 'public',
    answers: { 200: json('Every limit in force.', ref('Limits')) },
  },
  {
    id: 'listCatalogueSets',
    method: 'get',
    path: '/api/v8.0/CommonData',
    tag: CATALOGUE,
    summary: 'List the sets of the catalogue',
    access: 'anyToken',
    answers: { 200: json('The sets.', ref('CatalogueSets')) },
  },
  {
    id: 'readCatalogueSet',
    method: 'get',
    path: '/api/v8.0/CommonData/{set}',
    tag: CATALOGUE,
    summary: 'Read a set of the catalogue',
    access: 'anyToken',
    answers: { 200: json('The set.', ref('CatalogueEntries')) },
    problems: ['not-found', 'request-invalid'],
  },
];

const operators: readonly Operation[] = [
  {
    id: 'listOrganizations',
    method: 'get',
    path: '/api/v8.0/organizations',
    tag: OPERATORS,
    summary: 'List organizations',
    description: 'Newest first.',
    access: 'operator',
    parameters: PAGE,
    answers: { 200: json('A page of organizations.', page(ref('Organization'), 'Organizations.')) },
  },
  {
    id: 'readOrganization',
    method: 'get',
    path: '/api/v8.0/organizations/{orgId}',
    tag: OPERATORS,
    summary: 'Read an organization',
    access: 'operator',
    answers: { 200: json('The organization.', ref('Organization')) },
    problems: ['not-found'],
  },
  {
    id: 'writeOrganization',
    method: 'put',
    path: '/api/v8.0/organizations/{orgId}',
    tag: OPERATORS,
    summary: 'Write an organization',
    description: 'Kind and tenant never change.',
    access: 'operator',
    body: jsonRequest('The organization.', ref('WriteOrganization')),
    answers: {
      200: json('It was there already.', ref('Organization')),
      201: json('It is new.', ref('Organization')),
    },
    problems: ['organization-fixed', 'request-too-large'],
  },
  {
    id: 'listAllImports',
    method: 'get',
    path: '/api/v8.0/operations/imports',
    tag: OPERATORS,
    summary: 'List the imports of all organizations',
    description: 'Newest first.',
    access: 'operator',
    parameters: [...PAGE, IMPORT_STATUS_FILTER],
    answers: { 200: json('A page of imports.', page(ref('Import'), 'Imports.')) },
  },
  {
    id: 'retryImport',
    method: 'post',
    path: '/api/v8.0/operations/imports/{importId}/retry',
    tag: OPERATORS,
    summary: 'Retry an import that failed',
    access: 'operator',
    answers: { 202: json('It is queued again.', ref('Import')) },
    problems: ['not-found', 'import-not-retryable'],
  },
  {
    id: 'readBacklog',
    method: 'get',
    path: '/api/v8.0/operations/backlog',
    tag: OPERATORS,
    summary: 'Read what waits',
    description: 'From the rows of imports: they are the truth, whatever the queue knows.',
    access: 'operator',
    answers: { 200: json('Imports that have not ended.', ref('Backlog')) },
  },
  {
    id: 'listWorkers',
    method: 'get',
    path: '/api/v8.0/operations/workers',
    tag: OPERATORS,
    summary: 'List workers',
    access: 'operator',
    answers: { 200: json('The workers.', ref('Workers')) },
  },
];

/** The catalogue, the limits, and what operators do. */
export const PLATFORM_OPERATIONS: readonly Operation[] = [...catalogue, ...operators];
