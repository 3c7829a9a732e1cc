import { PACKAGE_PROBLEMS } from '../../shared/package/problem-codes.ts';
import { REQUEST_PROBLEMS } from '../http/request-problem-codes.ts';
import { IMPORT_STATUSES } from '../imports/import-status.ts';
import { ref } from './operation.ts';
import type { Schema } from './operation.ts';
import { choice, count, flag, guid, listOf, moment, object, orNull, sha256, text } from './schema-parts.ts';

const OUTCOMES = ['created', 'updated', 'unchanged'];

const moduleVersion: Schema = { type: 'number', const: 0.1 };

const fault = object(
  'One fault of a package or of a request, and where it is.',
  {
    code: choice(
      [...new Set([...Object.keys(PACKAGE_PROBLEMS), ...Object.keys(REQUEST_PROBLEMS)])].toSorted(),
      'What is wrong; `/problems/<code>` explains it.',
    ),
    detail: text('What is wrong here, and what to do.'),
    severity: choice(['error', 'warning']),
    entry: text('Path of the entry in the archive.'),
    pointer: text('JSON Pointer (RFC 6901) inside the entry, or inside the body of the request.'),
    line: count('Where the entry is text; the first is 1.', 1),
    column: count('In UTF-16 code units; the first is 1.', 1),
    offset: count('A byte of the archive.'),
  },
  ['entry', 'pointer', 'line', 'column', 'offset'],
);

const problem = object(
  'Why a call was not answered as it was meant (RFC 9457).',
  {
    type: {
      type: 'string',
      format: 'uri-reference',
      description: 'Address of the page that explains the code.',
    },
    title: text('What the code means, in short.'),
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The status of the answer.' },
    detail: text('What is wrong here, and what to do.'),
    instance: text('Path of the request.'),
    traceId: { type: 'string', pattern: '^[0-9a-f]{32}$', description: 'Names the request in the logs.' },
    importId: guid('The import that the problem is about.'),
    errors: listOf(ref('Fault'), 'Each fault, up to a hundred.'),
    warnings: listOf(ref('Fault'), 'What does no harm, but may not be meant.'),
    errorsTotal: count('All faults, told or not.'),
  },
  ['importId', 'errors', 'warnings', 'errorsTotal'],
);

const importProgress = object('How far an import is.', {
  step: choice(['queued', 'reading', 'checking', 'writing']),
  completed: count('Of `total`.'),
  total: count('In units of the step: bytes or files; 0 where it is not known yet.'),
});

const packageImport = object('One upload of a package, and what became of it.', {
  importId: guid(),
  organizationId: guid('The vendor.'),
  status: choice(IMPORT_STATUSES, '`rejected` is for the vendor to mend, `failed` is a fault of ours.'),
  validateOnly: flag('Whether nothing was to be stored.'),
  outcome: orNull(choice(OUTCOMES, 'Null until the import has succeeded.')),
  moduleId: orNull(guid()),
  moduleVersion: orNull({ type: 'number' }),
  revision: orNull(count('Of the module, after the import.', 1)),
  errors: listOf(
    ref('Fault'),
    'Why the package was rejected, or, of a failed import, that its time was over.',
  ),
  warnings: listOf(ref('Fault')),
  errorsTotal: count('All errors, told or not.'),
  progress: ref('ImportProgress'),
  fileName: orNull(text('As the upload named it.')),
  sizeBytes: count('Of the package.'),
  sha256: sha256('Of the package.'),
  createdAt: moment(),
  startedAt: orNull(moment()),
  finishedAt: orNull(moment()),
});

/** An event of the stream by its fields, as clients of event streams see it. */
const importEvent = object('One event of the stream.', {
  id: text('Counts the changes of the import.'),
  event: { type: 'string', const: 'import' },
  data: {
    type: 'string',
    contentMediaType: 'application/json',
    contentSchema: ref('Import'),
    description: 'The import.',
  },
});

const importSuccess = object(
  'What an import that succeeded did.',
  {
    importId: guid(),
    status: { type: 'string', const: 'succeeded' },
    outcome: choice(OUTCOMES, 'What became of the module.'),
    moduleId: orNull(guid('Null for a check of a package that names no module: nothing is reserved.')),
    moduleVersion,
    revision: orNull(count('The current one after the import.', 1)),
    validateOnly: { type: 'boolean', const: true, description: 'There when nothing was stored.' },
    warnings: listOf(ref('Fault')),
  },
  ['validateOnly'],
);

/** Schemas of imports and of problems, by name. */
export const IMPORT_SCHEMAS: Readonly<Record<string, Schema>> = {
  Problem: problem,
  Fault: fault,
  Import: packageImport,
  ImportProgress: importProgress,
  ImportEvent: importEvent,
  ImportSuccess: importSuccess,
};
