import { json, ref } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { IMPORT_STATUS_FILTER, PAGE } from '../parameters.ts';
import { page } from '../schema-parts.ts';

const OPERATORS = 'Operators';

const operators: readonly Operation[] = [
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

/** What operators do. */
export const PLATFORM_OPERATIONS: readonly Operation[] = operators;
