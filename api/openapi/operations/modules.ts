import { FILE_ANSWERS, FILE_PARAMETERS, RANGE_PARAMETERS } from '../file-answers.ts';
import { DELETED, json, ref } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { IF_NONE_MATCH, LIMIT, PAGE, query, REVISION } from '../parameters.ts';
import { flag, page } from '../schema-parts.ts';

const tag = 'Modules';
const EXPORT_HEADERS = ['ETag', 'Cache-Control', 'Accept-Ranges'];

/** A vendor's modules. */
export const MODULE_OPERATIONS: readonly Operation[] = [
  {
    id: 'listModules',
    method: 'get',
    path: '/api/v8.0/{orgId}/modules',
    tag,
    summary: 'List modules',
    description: 'Newest first.',
    access: 'vendorMember',
    parameters: PAGE,
    answers: { 200: json('A page of modules.', page(ref('ModuleSummary'), 'Modules.')) },
  },
  {
    id: 'readModule',
    method: 'get',
    path: '/api/v8.0/{orgId}/modules/{moduleId}',
    tag,
    summary: 'Read a module',
    description:
      'The current revision, or the one that is named. Environment variables are told without values.',
    access: 'vendorMember',
    parameters: [REVISION],
    answers: { 200: json('The revision.', ref('Module'), ['ETag?', 'Cache-Control']) },
  },
  {
    id: 'deleteModule',
    method: 'delete',
    path: '/api/v8.0/{orgId}/modules/{moduleId}',
    tag,
    summary: 'Delete a module',
    description: 'Its scope is free again, its keys and installations end, its ID stays the owner’s.',
    access: 'vendorAdmin',
    answers: { 204: DELETED },
  },
  {
    id: 'listRevisions',
    method: 'get',
    path: '/api/v8.0/{orgId}/modules/{moduleId}/revisions',
    tag,
    summary: 'List revisions',
    description: 'Newest first.',
    access: 'vendorMember',
    parameters: [
      LIMIT,
      query('cursor', 'The `nextCursor` of the page before.', {
        type: 'string',
        pattern: '^[1-9][0-9]{0,8}$',
      }),
    ],
    answers: { 200: json('A page of revisions.', page(ref('Revision'), 'Revisions.')) },
  },
  {
    id: 'readModuleFile',
    method: 'get',
    path: '/api/v8.0/{orgId}/modules/{moduleId}/files/{path}',
    tag,
    summary: 'Read a file of a module',
    access: 'vendorMember',
    parameters: [REVISION, ...FILE_PARAMETERS],
    answers: FILE_ANSWERS,
  },
  {
    id: 'exportModule',
    method: 'get',
    path: '/api/v8.0/{orgId}/ExportModuleAsync/{moduleId}',
    tag,
    summary: 'Export a module as a package',
    description:
      'The same revision gives the same bytes everywhere. It has the values of environment variables; each export is in the audit log.',
    access: 'vendorAdmin',
    parameters: [
      REVISION,
      query('asNew', 'Whether to leave out module ID and scope, for another organization.', flag()),
      IF_NONE_MATCH,
      ...RANGE_PARAMETERS,
    ],
    answers: {
      200: {
        description: 'The package.',
        forms: { 'application/zip': { schema: {} } },
        headers: [...EXPORT_HEADERS, 'Content-Disposition'],
      },
      206: {
        description: 'The requested range, to resume a download.',
        forms: { 'application/zip': { schema: {} } },
        headers: [...EXPORT_HEADERS, 'Content-Disposition', 'Content-Range'],
      },
      304: { description: 'The caller has this version.', headers: EXPORT_HEADERS },
      416: {
        description: 'The package is shorter than that.',
        headers: [...EXPORT_HEADERS, 'Content-Range'],
      },
    },
    problems: ['rate-limited'],
  },
];
