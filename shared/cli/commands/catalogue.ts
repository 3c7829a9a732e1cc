import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { addServerFlags } from '../server-flags.ts';
import type { ServerFlags } from '../server-flags.ts';

interface CatalogueFlags extends ServerFlags {
  readonly json?: true;
}

async function catalogue(set: string | undefined, flags: CatalogueFlags, cli: Cli): Promise<void> {
  const { answered } = await import('../server-answer.ts');
  const { table } = await import('../table.ts');
  const { openServer } = await import('../server-session.ts');
  const { client } = await openServer(cli, flags);
  const style = cli.output.dataStyle;
  if (set === undefined) {
    const { items } = await answered(client.GET('/api/v8.0/CommonData'));
    const rows = items.map(({ key, count }) => [key, String(count)]);
    cli.output.data(
      flags.json === true ? `${JSON.stringify(items)}\n` : table(['set', 'entries'], rows, style),
    );
    return;
  }
  const { items } = await answered(client.GET('/api/v8.0/CommonData/{set}', { params: { path: { set } } }));
  const rows = items.map(({ id, key, value }) => [id, key, value]);
  cli.output.data(
    flags.json === true ? `${JSON.stringify(items)}\n` : table(['id', 'key', 'value'], rows, style),
  );
}

/** `modulectl catalogue`: the IDs that packages refer to, as the server has them. */
export function addCatalogue(program: Command, cli: Cli): void {
  const command = program
    .command('catalogue')
    .summary('IDs that packages refer to')
    .description('Lists the sets of the catalogue, or the entries of one, as the server has them.')
    .argument('[set]', 'a set, such as languages')
    .option('--json', 'write them as the server tells them');
  addServerFlags(command).action((set: string | undefined, flags: CatalogueFlags) =>
    catalogue(set, flags, cli),
  );
}
