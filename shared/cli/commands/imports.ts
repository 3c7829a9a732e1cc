import { InvalidArgumentError } from 'commander';
import { showableText } from '../../package/text/showable-text.ts';
import { commandGroup, defined, JSON_FLAG, vendorCommand, wholeNumber } from '../command.ts';
import { readImport } from '../follow-import.ts';
import { timeOf } from '../output.ts';
import { countOf } from '../report-text.ts';
import { answered, type ServerImport } from '../server.ts';
import type { Cli } from '../settings.ts';

const STATUSES: readonly ServerImport['status'][] = [
  ...(['queued', 'running', 'succeeded', 'rejected', 'failed', 'cancelled'] as const),
];

function statusOf(text: string): ServerImport['status'] {
  const status = STATUSES.find((each) => each === text);
  if (status !== undefined) return status;
  throw new InvalidArgumentError(`Use one of ${STATUSES.join(', ')}.`);
}

const list = vendorCommand({
  name: 'list',
  description: 'List imports, newest first.',
  flags: {
    '--status <status>': {
      text: 'queued, running, succeeded, rejected, failed or cancelled',
      read: statusOf,
    },
    '--limit <number>': { text: 'maximum number of imports (default: 50)', read: wholeNumber },
    ...JSON_FLAG,
  },
  async call({ client, path }, { status, limit }) {
    const query = defined({ status, limit });
    return (await answered(client.GET('/api/v8.0/{orgId}/imports', { params: { path, query } }))).items;
  },
  show: (items, { output }) =>
    output.table(items, {
      import: (each) => each.importId,
      status: (each) => each.status,
      outcome: (each) => each.outcome ?? (each.errorsTotal > 0 ? countOf(each.errorsTotal, 'error') : ''),
      revision: (each) => String(each.revision ?? ''),
      'created (UTC)': (each) => timeOf(each.createdAt),
      file: (each) => each.fileName ?? '',
    }),
});

function describe(row: ServerImport, { output }: Pick<Cli, 'output'>): void {
  output.fields(row.importId, {
    status: row.status,
    outcome: row.outcome,
    module: row.moduleId,
    revision: row.revision,
    file: row.fileName,
    size: `${row.sizeBytes} bytes`,
    'sha-256': row.sha256,
    created: row.createdAt,
    finished: row.finishedAt,
  });
  const problems = [...row.errors, ...row.warnings];
  if (problems.length > 0) output.data('\n');
  for (const { severity, code, detail, entry = '', line, column } of problems) {
    const location = line === undefined ? entry : `${entry}:${line}:${column ?? 1}`;
    output.data(`  ${severity} ${code}  ${showableText(location)}\n    ${showableText(detail)}\n`);
  }
  for (const { code, count } of row.unlistedErrors) output.data(`  and ${count} more of ${code}\n`);
}

const show = vendorCommand({
  name: 'show',
  description: 'Show an import with its problems.',
  args: { importId: { usage: '<import>', text: 'ID of the import' } },
  flags: JSON_FLAG,
  call: (vendor, { importId }) => readImport(vendor, importId),
  show: describe,
});

/** `modulectl imports`: lists and shows imports. */
export const imports = commandGroup('imports', 'list and show imports', [list, show]);
