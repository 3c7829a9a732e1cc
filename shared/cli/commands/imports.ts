import type { Command } from 'commander';
import type { components } from '../../client/openapi-types.ts';
import { showableText } from '../../package/text/showable-text.ts';
import type { Cli } from '../cli.ts';
import { addServerFlags } from '../server-flags.ts';
import type { ServerFlags } from '../server-flags.ts';

type ServerImport = components['schemas']['Import'];

interface ListFlags extends ServerFlags {
  readonly status?: ServerImport['status'];
  readonly limit?: string;
  readonly json?: true;
}

async function list({ status, limit, json, ...server }: ListFlags, cli: Cli): Promise<void> {
  const { answered } = await import('../server-answer.ts');
  const { openVendor } = await import('../server-session.ts');
  const { client, organizationId } = await openVendor(cli, server);
  const query = {
    ...(status !== undefined && { status }),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
  const { items } = await answered(
    client.GET('/api/v8.0/{orgId}/imports', { params: { path: { orgId: organizationId }, query } }),
  );
  if (json === true) {
    cli.output.json(`${JSON.stringify(items)}\n`);
    return;
  }
  const { table } = await import('../table.ts');
  const { countOf } = await import('../problem-location.ts');
  const rows = items.map((each) => [
    each.importId,
    each.status,
    each.outcome ?? (each.errorsTotal > 0 ? countOf(each.errorsTotal, 'error') : ''),
    each.revision === null ? '' : String(each.revision),
    each.createdAt.slice(0, 19).replace('T', ' '),
    each.fileName ?? '',
  ]);
  cli.output.data(
    table(['import', 'status', 'outcome', 'revision', 'created (UTC)', 'file'], rows, cli.output.dataStyle),
  );
}

async function show(
  importId: string,
  { json, ...server }: ServerFlags & { json?: true },
  cli: Cli,
): Promise<void> {
  const { readImport } = await import('../follow-import.ts');
  const { openVendor } = await import('../server-session.ts');
  const row = await readImport(await openVendor(cli, server), importId);
  cli.output.data(json === true ? `${JSON.stringify(row)}\n` : cardOf(row, cli));
}

function cardOf(row: ServerImport, { output }: Cli): string {
  const fields: readonly (readonly [string, string | number | null])[] = [
    ['status', row.status],
    ['outcome', row.outcome],
    ['module', row.moduleId],
    ['revision', row.revision],
    ['file', row.fileName],
    ['size', `${row.sizeBytes} bytes`],
    ['sha-256', row.sha256],
    ['created', row.createdAt],
    ['finished', row.finishedAt],
  ];
  const told = fields.filter(([, value]) => value !== null);
  const lines = told.map(([name, value]) => `  ${name.padEnd(9)} ${showableText(String(value))}`);
  const problems = [...row.errors, ...row.warnings].map(
    ({ severity, code, detail, entry, line, column }) =>
      `  ${severity} ${code}  ${showableText(placeOf(entry, line, column))}\n    ${showableText(detail)}`,
  );
  const rest = row.errorsTotal - row.errors.length;
  if (rest > 0) problems.push(`  and ${rest} more errors`);
  return `${[output.dataStyle('bold', row.importId), ...lines, ...(problems.length > 0 ? [''] : []), ...problems].join('\n')}\n`;
}

function placeOf(entry = '', line?: number, column?: number): string {
  return line === undefined ? entry : `${entry}:${line}:${column ?? 1}`;
}

/** `modulectl imports`: what became of uploads. */
export function addImports(program: Command, cli: Cli): void {
  const command = program
    .command('imports')
    .summary('what became of uploads')
    .description('What became of uploads.');
  const listing = command
    .command('list')
    .description('Lists imports, newest first.')
    .option('--status <status>', 'queued, running, succeeded, rejected, failed or cancelled')
    .option('--limit <count>', 'at most so many (default: 50)')
    .option('--json', 'write them as the server tells them');
  addServerFlags(listing).action((flags: ListFlags) => list(flags, cli));
  const showing = command
    .command('show')
    .description('Shows an import with its problems.')
    .argument('<import>', 'ID of the import')
    .option('--json', 'write it as the server tells it');
  addServerFlags(showing).action((importId: string, flags: ServerFlags) => show(importId, flags, cli));
}
