import { json, ref } from '../operation.ts';
import type { Answer, Operation } from '../operation.ts';
import { IF_NONE_MATCH } from '../parameters.ts';

const HEALTH = 'Health';
const DOCUMENTS = 'Documents';

const health: readonly Operation[] = [
  {
    id: 'isAlive',
    method: 'get',
    path: '/livez',
    tag: HEALTH,
    summary: 'Whether the process answers',
    access: 'probe',
    answers: { 200: json('It does.', ref('Alive')) },
  },
  {
    id: 'isReady',
    method: 'get',
    path: '/readyz',
    tag: HEALTH,
    summary: 'Whether the service can serve',
    access: 'probe',
    answers: {
      200: json('It can.', ref('Readiness'), ['Cache-Control']),
      503: json('A part is out of reach, or the process stops.', ref('Readiness'), ['Cache-Control']),
    },
  },
  {
    id: 'readMetrics',
    method: 'get',
    path: '/metrics',
    tag: HEALTH,
    summary: 'What the process counts',
    description: 'For Prometheus: for this machine alone, or with `METRICS_TOKEN` as a bearer token.',
    access: 'probe',
    answers: {
      200: {
        description: 'The metrics.',
        forms: { 'text/plain': { schema: { type: 'string' } } },
        headers: ['Cache-Control'],
      },
    },
    problems: ['auth-forbidden', 'auth-token-invalid'],
  },
];

const PUBLIC_HEADERS = ['ETag', 'Cache-Control', 'Access-Control-Allow-Origin'];
const KNOWN: Answer = { description: 'The caller has this version.', headers: PUBLIC_HEADERS };
const HTML = { schema: { type: 'string' } };

function problemPage(description: string, schema: string): Answer {
  return {
    description,
    forms: { 'application/json': { schema: ref(schema) }, 'text/html': HTML },
    headers: ['Cache-Control'],
  };
}

const documents: readonly Operation[] = [
  {
    id: 'readOpenApi',
    method: 'get',
    path: '/openapi.json',
    tag: DOCUMENTS,
    summary: 'This document',
    access: 'public',
    parameters: [IF_NONE_MATCH],
    answers: { 200: json('OpenAPI 3.1.', { type: 'object' }, PUBLIC_HEADERS), 304: KNOWN },
  },
  {
    id: 'readDocs',
    method: 'get',
    path: '/docs',
    tag: DOCUMENTS,
    summary: 'This document as a page for people',
    access: 'public',
    answers: { 200: { description: 'The page.', forms: { 'text/html': HTML }, headers: ['Cache-Control'] } },
  },
  {
    id: 'readSchema',
    method: 'get',
    path: '/schemas/{name}',
    tag: DOCUMENTS,
    summary: 'The JSON Schema of a file of packages',
    description: 'For editors: the rules validate with the same schemas.',
    access: 'public',
    parameters: [IF_NONE_MATCH],
    answers: { 200: json('The schema.', { type: 'object' }, PUBLIC_HEADERS), 304: KNOWN },
    problems: ['not-found', 'request-invalid'],
  },
  {
    id: 'listProblems',
    method: 'get',
    path: '/problems',
    tag: DOCUMENTS,
    summary: 'Every code of problems',
    access: 'public',
    answers: { 200: problemPage('The codes.', 'ProblemPages') },
  },
  {
    id: 'readProblem',
    method: 'get',
    path: '/problems/{code}',
    tag: DOCUMENTS,
    summary: 'What a code means, and what to do',
    access: 'public',
    answers: { 200: problemPage('What it means.', 'ProblemPage') },
    problems: ['not-found', 'request-invalid'],
  },
];

/** The service itself: its health and its documents. */
export const SERVICE_OPERATIONS: readonly Operation[] = [...health, ...documents];
