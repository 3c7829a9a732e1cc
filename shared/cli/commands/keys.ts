import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { addServerFlags } from '../server-flags.ts';
import type { ServerFlags } from '../server-flags.ts';

interface CreateFlags extends ServerFlags {
  readonly name?: string;
  readonly expiresOn?: string;
}

interface RotateFlags extends ServerFlags {
  readonly overlap?: string;
}

/** The key alone goes to standard output, for a file or a variable; what is said about it does not. */
function tellKey(
  {
    clientSecret,
    clientName,
    clientId,
    expiresOn,
  }: Readonly<Record<'clientSecret' | 'clientName' | 'clientId' | 'expiresOn', string>>,
  { output }: Cli,
): void {
  output.say(`Key of the client ${clientName} (${clientId}), good until ${expiresOn}.`);
  output.say('It is shown this once. Keep it where secrets are kept:');
  output.data(`${clientSecret}\n`);
}

async function create(
  moduleId: string,
  { name, expiresOn, ...server }: CreateFlags,
  cli: Cli,
): Promise<void> {
  const { answered } = await import('../server-answer.ts');
  const { openVendor } = await import('../server-session.ts');
  const { client, organizationId } = await openVendor(cli, server);
  const body = {
    ...(name !== undefined && { clientName: name }),
    ...(expiresOn !== undefined && { expiresOn }),
  };
  const path = { orgId: organizationId, moduleId };
  tellKey(
    await answered(client.POST('/api/v8.0/{orgId}/registerApiClient/{moduleId}', { params: { path }, body })),
    cli,
  );
}

async function list(moduleId: string, flags: ServerFlags & { json?: true }, cli: Cli): Promise<void> {
  const { answered } = await import('../server-answer.ts');
  const { openVendor } = await import('../server-session.ts');
  const { client, organizationId } = await openVendor(cli, flags);
  const path = { orgId: organizationId, moduleId };
  const { items } = await answered(
    client.GET('/api/v8.0/{orgId}/apiClients/{moduleId}', { params: { path } }),
  );
  if (flags.json === true) {
    cli.output.json(`${JSON.stringify(items)}\n`);
    return;
  }
  const { table } = await import('../table.ts');
  const rows = items.map((each) => [
    each.clientId,
    each.clientName,
    `${each.secretStart}…`,
    each.expiresOn.slice(0, 10),
    each.lastUsedOn?.slice(0, 19).replace('T', ' ') ?? 'never',
    each.revokedOn === null ? '' : 'revoked',
  ]);
  cli.output.data(
    table(['client', 'name', 'key', 'expires', 'last used (UTC)', ''], rows, cli.output.dataStyle),
  );
}

async function revoke(moduleId: string, clientId: string, flags: ServerFlags, cli: Cli): Promise<void> {
  const { done } = await import('../server-answer.ts');
  const { openVendor } = await import('../server-session.ts');
  const { client, organizationId } = await openVendor(cli, flags);
  const path = { orgId: organizationId, moduleId, clientId };
  await done(client.DELETE('/api/v8.0/{orgId}/apiClients/{moduleId}/{clientId}', { params: { path } }));
  cli.output.say(`The keys of the client ${clientId} are revoked.`);
}

async function rotate(
  moduleId: string,
  clientId: string,
  { overlap = '0', ...server }: RotateFlags,
  cli: Cli,
): Promise<void> {
  const { answered } = await import('../server-answer.ts');
  const { openVendor } = await import('../server-session.ts');
  const { client, organizationId } = await openVendor(cli, server);
  const call = client.POST('/api/v8.0/{orgId}/apiClients/{moduleId}/{clientId}/rotate', {
    params: { path: { orgId: organizationId, moduleId, clientId } },
    body: { overlapSeconds: Number(overlap) },
  });
  tellKey(await answered(call), cli);
}

/** `modulectl keys`: the API keys of a module. */
export function addKeys(program: Command, cli: Cli): void {
  const command = program
    .command('keys')
    .summary('API keys of a module')
    .description('API keys of a module.');
  const under = (name: string, description: string) =>
    addServerFlags(command.command(name).description(description).argument('<module>', 'ID of the module'));
  under('create', 'Makes a key and writes it, this once, to standard output.')
    .option('--name <text>', 'name of the client')
    .option('--expires-on <time>', 'when it ends, such as 2028-01-01T00:00:00Z')
    .action((moduleId: string, flags: CreateFlags) => create(moduleId, flags, cli));
  under('list', 'Lists the keys of a module, never a secret.')
    .option('--json', 'write them as the server tells them')
    .action((moduleId: string, flags: ServerFlags) => list(moduleId, flags, cli));
  under('revoke', 'Ends the keys of a client, everywhere within a second.')
    .argument('<client>', 'ID of the client')
    .action((moduleId: string, clientId: string, flags: ServerFlags) =>
      revoke(moduleId, clientId, flags, cli),
    );
  under('rotate', 'Makes a new key of a client and writes it, this once, to standard output.')
    .argument('<client>', 'ID of the client')
    .option('--overlap <seconds>', 'how long the old key still works, at most 604800 (default: 0)')
    .action((moduleId: string, clientId: string, flags: RotateFlags) =>
      rotate(moduleId, clientId, flags, cli),
    );
}
