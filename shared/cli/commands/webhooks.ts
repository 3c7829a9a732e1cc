import type { Command } from 'commander';
import { addServerFlags, answered, openVendor, succeeded, type ServerFlags } from '../server.ts';
import type { Cli } from '../settings.ts';

type Webhook = readonly [moduleId: string, webhookId: string];

interface CreateFlags extends ServerFlags {
  readonly description?: string;
}

interface RotateFlags extends ServerFlags {
  readonly overlap?: string;
}

type ListFlags = ServerFlags & { readonly json?: true };

const ONE = '/api/v8.0/{orgId}/webhooks/{moduleId}/{webhookId}';

/** Only the secret goes to standard output, for a file or a variable. */
function showSecret(
  { id, secret, publicKey }: Readonly<Record<'id' | 'secret' | 'publicKey', string>>,
  { output }: Cli,
): void {
  output.say(`Secret of the webhook ${id}, whose public key is ${publicKey}.`);
  output.say('Store it now: it is not shown again.');
  output.data(`${secret}\n`);
}

/** A client, and the parameters of a webhook's path. */
async function openWebhook(cli: Cli, [moduleId, webhookId]: Webhook, flags: ServerFlags) {
  const { client, organizationId } = await openVendor(cli, flags);
  return { client, params: { path: { orgId: organizationId, moduleId, webhookId } } };
}

async function create(moduleId: string, url: string, flags: CreateFlags, cli: Cli): Promise<void> {
  const { description, ...server } = flags;
  const { client, organizationId } = await openVendor(cli, server);
  const call = client.POST('/api/v8.0/{orgId}/webhooks/{moduleId}', {
    params: { path: { orgId: organizationId, moduleId } },
    body: { url, ...(description !== undefined && { description }) },
  });
  showSecret(await answered(call), cli);
}

async function list(moduleId: string, flags: ListFlags, cli: Cli): Promise<void> {
  const { client, organizationId } = await openVendor(cli, flags);
  const path = { orgId: organizationId, moduleId };
  const { items } = await answered(client.GET('/api/v8.0/{orgId}/webhooks/{moduleId}', { params: { path } }));
  cli.output.list(items, flags.json === true, {
    webhook: (each) => each.id,
    url: (each) => each.url,
    status: (each) => each.status,
    'failing since': (each) => each.failingSince?.slice(0, 19).replace('T', ' ') ?? '',
  });
}

async function setStatus(
  webhook: Webhook,
  status: 'enabled' | 'paused',
  flags: ServerFlags,
  cli: Cli,
): Promise<void> {
  const { client, params } = await openWebhook(cli, webhook, flags);
  await succeeded(client.PATCH(ONE, { params, body: { status } }));
  cli.output.say(`The webhook ${webhook[1]} is ${status}.`);
}

async function remove(webhook: Webhook, flags: ServerFlags, cli: Cli): Promise<void> {
  const { client, params } = await openWebhook(cli, webhook, flags);
  await succeeded(client.DELETE(ONE, { params }));
  cli.output.say(`Deleted the webhook ${webhook[1]}.`);
}

async function rotate(
  webhook: Webhook,
  { overlap = '86400', ...server }: RotateFlags,
  cli: Cli,
): Promise<void> {
  const { client, params } = await openWebhook(cli, webhook, server);
  const body = { overlapSeconds: Number(overlap) };
  showSecret(await answered(client.POST(`${ONE}/rotate`, { params, body })), cli);
}

async function test(webhook: Webhook, flags: ServerFlags, cli: Cli): Promise<void> {
  const { client, params } = await openWebhook(cli, webhook, flags);
  const { eventId } = await answered(client.POST(`${ONE}/test`, { params }));
  cli.output.say(`Sent the event ${eventId}. Its calls are listed by: modulectl webhooks attempts`);
}

async function replay(webhook: Webhook, eventId: string, flags: ServerFlags, cli: Cli): Promise<void> {
  const { client, params } = await openWebhook(cli, webhook, flags);
  await succeeded(client.POST(`${ONE}/replay`, { params, body: { eventId } }));
  cli.output.say('The change is delivered again.');
}

async function attempts(webhook: Webhook, flags: ListFlags, cli: Cli): Promise<void> {
  const { client, params } = await openWebhook(cli, webhook, flags);
  const { items } = await answered(client.GET(`${ONE}/attempts`, { params }));
  cli.output.list(items, flags.json === true, {
    'time (UTC)': (each) => each.createdAt.slice(0, 19).replace('T', ' '),
    event: (each) => each.eventId,
    type: (each) => each.type,
    attempt: (each) => String(each.number),
    answer: (each) => (each.status === null ? (each.error ?? '') : String(each.status)),
    ms: (each) => String(each.durationMs),
  });
}

/** `modulectl webhooks`: manages the webhooks of a module. */
export function addWebhooks(program: Command, cli: Cli): void {
  const command = program
    .command('webhooks')
    .summary('manage the webhooks of a module')
    .description('Manage the webhooks of a module.');
  const add = commandsOf(command);
  addManaging(add, cli);
  addCalls(add, cli);
}

/** How commands of one module, and of one webhook, are made. */
function commandsOf(command: Command) {
  // The list of commands is as wide as their arguments leave it.
  const under = (name: string, summary: string, description: string) =>
    addServerFlags(
      command
        .command(name)
        .summary(summary)
        .description(description)
        .argument('<module>', 'ID of the module'),
    );
  const one = (name: string, summary: string, description: string) =>
    under(name, summary, description).argument('<webhook>', 'ID of the webhook');
  return { under, one };
}

type Commands = ReturnType<typeof commandsOf>;

function addManaging({ under, one }: Commands, cli: Cli): void {
  under(
    'create',
    'register one, output its secret',
    'Register a webhook and output its secret. It is not shown again.',
  )
    .argument('<url>', 'https address that is called for each change')
    .option('--description <text>', 'a note for people')
    .action((moduleId: string, url: string, flags: CreateFlags) => create(moduleId, url, flags, cli));
  under('list', 'list them', 'List webhooks, without their secrets.')
    .option('--json', 'output the JSON of the server')
    .action((moduleId: string, flags: ListFlags) => list(moduleId, flags, cli));
  one(
    'pause',
    'call it no more for now',
    'Call a webhook no more until it is enabled. Nothing is lost.',
  ).action((moduleId: string, id: string, flags: ServerFlags) =>
    setStatus([moduleId, id], 'paused', flags, cli),
  );
  one('enable', 'call it again', 'Call a webhook again, with what has waited.').action(
    (moduleId: string, id: string, flags: ServerFlags) => setStatus([moduleId, id], 'enabled', flags, cli),
  );
  one('delete', 'delete it', 'Delete a webhook.').action((moduleId: string, id: string, flags: ServerFlags) =>
    remove([moduleId, id], flags, cli),
  );
}

function addCalls({ one }: Commands, cli: Cli): void {
  one('rotate', 'make new keys, output the secret', 'Make new keys and output the new secret.')
    .option('--overlap <seconds>', 'how long the old ones sign too (default: a day)')
    .action((moduleId: string, id: string, flags: RotateFlags) => rotate([moduleId, id], flags, cli));
  one('test', 'send a test event', 'Send a test event.').action(
    (moduleId: string, id: string, flags: ServerFlags) => test([moduleId, id], flags, cli),
  );
  one('replay', 'deliver a change again', 'Deliver a change again, with the same ID.')
    .argument('<event>', 'ID of the change')
    .action((moduleId: string, id: string, eventId: string, flags: ServerFlags) =>
      replay([moduleId, id], eventId, flags, cli),
    );
  one('attempts', 'list its latest calls', 'List the latest calls of a webhook.')
    .option('--json', 'output the JSON of the server')
    .action((moduleId: string, id: string, flags: ListFlags) => attempts([moduleId, id], flags, cli));
}
