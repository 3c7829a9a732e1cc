import { json, jsonRequest, ref } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { PAGE } from '../parameters.ts';
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
];

/** The catalogue, the limits, and what operators do. */
export const PLATFORM_OPERATIONS: readonly Operation[] = [...catalogue, ...operators];
