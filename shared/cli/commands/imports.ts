import type { Command } from 'commander';
import { showableText } from '../../package/text/showable-text.ts';
import { readImport } from '../follow-import.ts';
import { countOf } from '../report-text.ts';
import { addServerFlags, answered, openVendor, type ServerFlags, type ServerImport } from '../server.ts';
import type { Cli } from '../settings.ts';

interface ShowFlags extends ServerFlags {
  readonly json?: true;
}

interface ListFlags extends ShowFlags {
  readonly status?: ServerImport['status'];
  readonly limit?: string;
}

async function list({ status, limit, json, ...server }: ListFlags, cli: Cli): Promise<void> {
  const { client, organizationId } = await openVendor(cli, server);
  const query = {
    ...(status !== undefined && { status }),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
  const path = { orgId: organizationId };
  const { items } = await answered(client.GET('/api/v8.0/{orgId}/imports', { params: { path, query } }));
  cli.output.list(items, json === true, {
    import: (each) => each.importId,
    status: (each) => each.status,
    outcome: (each) => each.outcome ?? (each.errorsTotal > 0 ? countOf(each.errorsTotal, 'error') : ''),
    revision: (each) => String(each.revision ?? ''),
    'created (UTC)': (each) => each.createdAt.slice(0, 19).replace('T', ' '),
    file: (each) => each.fileName ?? '',
  });
}

async function show(importId: string, { json, ...server }: ShowFlags, cli: Cli): Promise<void> {
  const { output } = cli;
  const row = await readImport(await openVendor(cli, server), importId);
  if (json === true) output.json(row);
  else output.data([output.dataStyle('bold', row.importId), ...describe(row), ''].join('\n'));
}

function describe(row: ServerImport): string[] {
  const fields = Object.entries({
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
  const problems = [...row.errors, ...row.warnings].map(
    ({ severity, code, detail, entry = '', line, column }) => {
      const location = line === undefined ? entry : `${entry}:${line}:${column ?? 1}`;
      return `  ${severity} ${code}  ${showableText(location)}\n    ${showableText(detail)}`;
    },
  );
  const rest = row.errorsTotal - row.errors.length;
  return [
    ...fields.flatMap(([name, value]) =>
      value === null ? [] : [`  ${name.padEnd(9)} ${showableText(String(value))}`],
    ),
    ...(problems.length > 0 ? ['', ...problems] : []),
    ...(rest > 0 ? [`  and ${rest} more errors`] : []),
  ];
}

/** `modulectl imports`: lists and shows imports. */
export function addImports(program: Command, cli: Cli): void {
  const command = program
    .command('imports')
    .summary('list and show imports')
    .description('List and show imports.');
  const listing = command
    .command('list')
    .description('List imports, newest first.')
    .option('--status <status>', 'queued, running, succeeded, rejected, failed or cancelled')
    .option('--limit <number>', 'maximum number of imports (default: 50)')
    .option('--json', 'output the JSON of the server');
  addServerFlags(listing).action((flags: ListFlags) => list(flags, cli));
  const showing = command
    .command('show')
    .description('Show an import with its problems.')
    .argument('<import>', 'ID of the import')
    .option('--json', 'output the JSON of the server');
  addServerFlags(showing).action((importId: string, flags: ShowFlags) => show(importId, flags, cli));
}
