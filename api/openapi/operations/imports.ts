import { json, ref } from '../operation.ts';
import type { Operation, RequestBody } from '../operation.ts';
import { header, IMPORT_STATUS_FILTER, MODULE_FILTER, PAGE, query } from '../parameters.ts';
import { flag, page } from '../schema-parts.ts';

const tag = 'Imports';

const UPLOAD: RequestBody = {
  description: 'One field named `file` that holds the ZIP; its content decides, not its name.',
  required: true,
  forms: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file'],
        additionalProperties: false,
        properties: { file: { type: 'string', format: 'binary', description: 'The package.' } },
      },
      encoding: { file: { contentType: 'application/zip, application/octet-stream' } },
    },
  },
};

const OPTIONS = [
  query('validateOnly', 'Check the package by every rule and store nothing.', flag()),
  header('Prefer', '`respond-async`: answer 202 at once; `wait=N`: after N seconds at most (RFC 7240).', {
    type: 'string',
  }),
  header(
    'Idempotency-Key',
    'Stands for this upload in the organization for 7 days: sent again, it gives the same import.',
    { type: 'string', pattern: '^[!-~]{1,255}$' },
  ),
  header('If-Match', 'The current revision of the module in quotes; `*`: the module exists.', {
    type: 'string',
    pattern: '^(?:\\*|"[0-9]{1,9}")$',
  }),
];

/** Uploading packages, and reading what became of them. */
export const IMPORT_OPERATIONS: readonly Operation[] = [
  {
    id: 'importModule',
    method: 'post',
    path: '/api/v8.0/{orgId}/ImportModuleAsync',
    tag,
    summary: 'Import a package',
    description:
      'Uploads a package, waits for the end of its import and answers with it. A refused package gets every ' +
      'problem at once; nothing of it is stored. A client that hangs up loses nothing: the import goes on.',
    access: 'vendorAdmin',
    parameters: OPTIONS,
    body: UPLOAD,
    answers: {
      200: json('The import succeeded.', ref('ImportSuccess'), ['Preference-Applied?']),
      202: json('The import goes on; Location has it.', ref('Import'), ['Location', 'Preference-Applied']),
    },
    problems: [
      'import-rejected',
      'request-file-missing',
      'request-invalid',
      'request-too-slow',
      'import-cancelled',
      'registry-revision-changed',
      'request-too-large',
      'request-idempotency-mismatch',
      'rate-limited',
      'import-deadline-exceeded',
      'import-failed',
      'import-still-running',
    ],
  },
  {
    id: 'listImports',
    method: 'get',
    path: '/api/v8.0/{orgId}/imports',
    tag,
    summary: 'List imports',
    description: 'Newest first. Those of a module include the refused ones whose package named it.',
    access: 'vendorMember',
    parameters: [...PAGE, IMPORT_STATUS_FILTER, MODULE_FILTER],
    answers: { 200: json('A page of imports.', page(ref('Import'), 'Imports.')) },
  },
  {
    id: 'readImport',
    method: 'get',
    path: '/api/v8.0/{orgId}/imports/{importId}',
    tag,
    summary: 'Read an import',
    access: 'vendorMember',
    answers: { 200: json('The import, a rejected one too.', ref('Import')) },
  },
  {
    id: 'watchImport',
    method: 'get',
    path: '/api/v8.0/{orgId}/imports/{importId}/events',
    tag,
    summary: 'Watch an import',
    description:
      'Server-sent events: `event: import` with the import as data whenever it changes, and a comment every ' +
      '15 seconds. The stream is closed after the end.',
    access: 'vendorMember',
    parameters: [header('Last-Event-ID', 'The last event that the client has seen.', { type: 'string' })],
    answers: {
      200: {
        description: 'The events.',
        forms: { 'text/event-stream': { schema: ref('ImportEvent'), partSchema: ref('Import') } },
        headers: ['Cache-Control', 'X-Accel-Buffering'],
      },
      204: { description: 'The import has ended and the client has seen it: there is nothing more to come.' },
    },
  },
  {
    id: 'cancelImport',
    method: 'post',
    path: '/api/v8.0/{orgId}/imports/{importId}/cancel',
    tag,
    summary: 'Cancel an import',
    description: 'Only a queued import can be cancelled. Cancelling it again changes nothing.',
    access: 'vendorAdmin',
    answers: { 200: json('The cancelled import.', ref('Import')) },
    problems: ['import-not-cancellable'],
  },
];
