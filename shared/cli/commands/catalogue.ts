import type { Command } from 'commander';
import { addServerFlags, answered, openServer, type ServerFlags } from '../server.ts';
import type { Cli } from '../settings.ts';

interface CatalogueFlags extends ServerFlags {
  readonly json?: true;
}

async function catalogue(set: string | undefined, flags: CatalogueFlags, cli: Cli): Promise<void> {
  const client = await openServer(cli, flags);
  const isJson = flags.json === true;
  if (set === undefined) {
    const { items } = await answered(client.GET('/api/v8.0/CommonData'));
    cli.output.list(items, isJson, { set: ({ key }) => key, entries: ({ count }) => String(count) });
    return;
  }
  const { items } = await answered(client.GET('/api/v8.0/CommonData/{set}', { params: { path: { set } } }));
  cli.output.list(items, isJson, {
    id: ({ id }) => id,
    key: ({ key }) => key,
    value: ({ value }) => value,
  });
}

/** `modulectl catalogue`: lists the IDs of the server's catalogue that packages refer to. */
export function addCatalogue(program: Command, cli: Cli): void {
  const command = program
    .command('catalogue')
    .summary('list the IDs that packages refer to')
    .description("List the sets of the server's catalogue, or the entries of one set.")
    .argument('[set]', 'a set, such as languages')
    .option('--json', 'output the JSON of the server');
  addServerFlags(command).action((set: string | undefined, flags: CatalogueFlags) =>
    catalogue(set, flags, cli),
  );
}
