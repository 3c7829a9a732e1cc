import type { Command } from 'commander';
import { addServerFlags, answered, openVendor, succeeded, type ServerFlags } from '../server.ts';
import type { Cli } from '../settings.ts';

interface CreateFlags extends ServerFlags {
  readonly name?: string;
  readonly expiresOn?: string;
}

interface RotateFlags extends ServerFlags {
  readonly overlap?: string;
}

/** Only the key goes to standard output, for a file or a variable. */
function showKey(
  key: Readonly<Record<'clientSecret' | 'clientName' | 'clientId' | 'expiresOn', string>>,
  { output }: Cli,
): void {
  output.say(`Key of the client ${key.clientName} (${key.clientId}), valid until ${key.expiresOn}.`);
  output.say('Store it now: it is not shown again.');
  output.data(`${key.clientSecret}\n`);
}

async function create(
  moduleId: string,
  { name, expiresOn, ...server }: CreateFlags,
  cli: Cli,
): Promise<void> {
  const { client, organizationId } = await openVendor(cli, server);
  const body = {
    ...(name !== undefined && { clientName: name }),
    ...(expiresOn !== undefined && { expiresOn }),
  };
  const path = { orgId: organizationId, moduleId };
  const call = client.POST('/api/v8.0/{orgId}/registerApiClient/{moduleId}', { params: { path }, body });
  showKey(await answered(call), cli);
}

async function list(moduleId: string, flags: ServerFlags & { json?: true }, cli: Cli): Promise<void> {
  const { client, organizationId } = await openVendor(cli, flags);
  const path = { orgId: organizationId, moduleId };
  const { items } = await answered(
    client.GET('/api/v8.0/{orgId}/apiClients/{moduleId}', { params: { path } }),
  );
  cli.output.list(items, flags.json === true, {
    client: (each) => each.clientId,
    name: (each) => each.clientName,
    key: (each) => `${each.secretStart}…`,
    expires: (each) => each.expiresOn.slice(0, 10),
    'last used (UTC)': (each) => each.lastUsedOn?.slice(0, 19).replace('T', ' ') ?? 'never',
    '': (each) => (each.revokedOn === null ? '' : 'revoked'),
  });
}

async function revoke(moduleId: string, clientId: string, flags: ServerFlags, cli: Cli): Promise<void> {
  const { client, organizationId } = await openVendor(cli, flags);
  const path = { orgId: organizationId, moduleId, clientId };
  await succeeded(client.DELETE('/api/v8.0/{orgId}/apiClients/{moduleId}/{clientId}', { params: { path } }));
  cli.output.say(`Revoked the keys of the client ${clientId}.`);
}

async function rotate(
  moduleId: string,
  clientId: string,
  { overlap = '0', ...server }: RotateFlags,
  cli: Cli,
): Promise<void> {
  const { client, organizationId } = await openVendor(cli, server);
  const call = client.POST('/api/v8.0/{orgId}/apiClients/{moduleId}/{clientId}/rotate', {
    params: { path: { orgId: organizationId, moduleId, clientId } },
    body: { overlapSeconds: Number(overlap) },
  });
  showKey(await answered(call), cli);
}

/** A time that servers accept, also when this is printed in some years. */
function inNinetyDays(): string {
  return `${new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
}

/** `modulectl keys`: manages the API keys of a module. */
export function addKeys(program: Command, cli: Cli): void {
  const command = program
    .command('keys')
    .summary('manage the API keys of a module')
    .description('Manage the API keys of a module.');
  const under = (name: string, description: string) =>
    addServerFlags(command.command(name).description(description).argument('<module>', 'ID of the module'));
  under('create', 'Create a key and output it. It is not shown again.')
    .option('--name <text>', 'name of the client')
    .option('--expires-on <time>', `when it expires, such as ${inNinetyDays()}`)
    .action((moduleId: string, flags: CreateFlags) => create(moduleId, flags, cli));
  under('list', 'List keys, without their secrets.')
    .option('--json', 'output the JSON of the server')
    .action((moduleId: string, flags: ServerFlags) => list(moduleId, flags, cli));
  under('revoke', 'Revoke the keys of a client within a second.')
    .argument('<client>', 'ID of the client')
    .action((moduleId: string, clientId: string, flags: ServerFlags) =>
      revoke(moduleId, clientId, flags, cli),
    );
  under('rotate', 'Replace a key and output the new one.')
    .argument('<client>', 'ID of the client')
    .option('--overlap <seconds>', 'how long the old key still works (default: 0)')
    .action((moduleId: string, clientId: string, flags: RotateFlags) =>
      rotate(moduleId, clientId, flags, cli),
    );
}
