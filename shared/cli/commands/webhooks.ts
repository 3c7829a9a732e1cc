import { commandGroup, defined, JSON_FLAG, seconds, vendorCommand } from '../command.ts';
import { findWebhook, MODULE, readWebhooks } from '../names.ts';
import { timeOf } from '../output.ts';
import { answered, succeeded } from '../server.ts';
import type { Cli } from '../settings.ts';

const WEBHOOK = {
  ...MODULE,
  webhookId: { usage: '<webhook>', text: 'ID, address or description of the webhook', find: findWebhook },
};
const ALL = '/api/v8.0/{orgId}/webhooks/{moduleId}';
const ONE = `${ALL}/{webhookId}` as const;

function showSecret(
  { id, secret, publicKey }: Readonly<Record<'id' | 'publicKey', string> & { secret: string | null }>,
  { output }: Pick<Cli, 'output'>,
): void {
  output.secret(`Secret of the webhook ${id}, whose public key is ${publicKey}.`, secret);
}

const create = vendorCommand({
  name: 'create',
  summary: 'register one, output its secret',
  description: 'Register a webhook and output its secret. It is not shown again.',
  args: { ...MODULE, url: { usage: '<url>', text: 'https address that is called for each change' } },
  page: ({ moduleId }) => `modules/${moduleId}/dev`,
  flags: { '--description <text>': 'a note for people' },
  async call({ client, path }, { url, description }) {
    const body = { url, ...defined({ description }) };
    return answered(client.POST(ALL, { params: { path }, body }));
  },
  show: showSecret,
});

const list = vendorCommand({
  name: 'list',
  summary: 'list them',
  description: 'List webhooks, without their secrets.',
  args: MODULE,
  flags: JSON_FLAG,
  call: (vendor) => readWebhooks(vendor, vendor.path),
  show: (items, { output }) =>
    output.table(items, {
      webhook: (each) => each.id,
      url: (each) => each.url,
      status: (each) => each.status,
      'failing since': (each) => (each.firstFailedAt === null ? '' : timeOf(each.firstFailedAt)),
    }),
});

/** A command that sets the status of a webhook. */
function statusCommand(
  status: 'enabled' | 'paused',
  texts: { readonly name: string; readonly summary: string; readonly description: string },
) {
  return vendorCommand({
    ...texts,
    args: WEBHOOK,
    page: ({ moduleId }) => `modules/${moduleId}/dev`,
    call: ({ client, path }) => succeeded(client.PATCH(ONE, { params: { path }, body: { status } })),
    show: (_, { output }, { webhookId }) => output.say(`The webhook ${webhookId} is ${status}.`),
  });
}

const pause = statusCommand('paused', {
  name: 'pause',
  summary: 'call it no more for now',
  description: 'Call a webhook no more until it is enabled. What happens meanwhile is kept for 30 days.',
});

const enable = statusCommand('enabled', {
  name: 'enable',
  summary: 'call it again',
  description: 'Call a webhook again, with what has waited.',
});

const remove = vendorCommand({
  name: 'delete',
  summary: 'delete it',
  description: 'Delete a webhook.',
  args: WEBHOOK,
  page: ({ moduleId }) => `modules/${moduleId}/dev`,
  call: ({ client, path }) => succeeded(client.DELETE(ONE, { params: { path } })),
  show: (_, { output }, { webhookId }) => output.say(`Deleted the webhook ${webhookId}.`),
});

const rotate = vendorCommand({
  name: 'rotate',
  summary: 'make new keys, output the secret',
  description: 'Make new keys and output the new secret.',
  args: WEBHOOK,
  page: ({ moduleId }) => `modules/${moduleId}/dev`,
  flags: {
    '--overlap <seconds>': { text: 'how long the old ones sign too (default: a day)', read: seconds },
  },
  async call({ client, path }, { overlap = 86_400 }) {
    const body = { overlapSeconds: overlap };
    return answered(client.POST(`${ONE}/rotate`, { params: { path }, body }));
  },
  show: showSecret,
});

const test = vendorCommand({
  name: 'test',
  summary: 'send a test event',
  description: 'Send a test event.',
  args: WEBHOOK,
  call: ({ client, path }) => answered(client.POST(`${ONE}/test`, { params: { path } })),
  show: ({ eventId }, { output }) =>
    output.say(`Sent the event ${eventId}. Its calls are listed by: modulectl webhooks attempts`),
});

const resend = vendorCommand({
  name: 'resend',
  summary: 'deliver the change of a call again',
  description: 'Deliver the change of a call again, with the same ID.',
  args: { ...WEBHOOK, attemptId: { usage: '<call>', text: 'ID of the call, as listed by attempts' } },
  call: ({ client, path }) =>
    succeeded(client.POST(`${ONE}/attempts/{attemptId}/resend`, { params: { path } })),
  show: (_, { output }) => output.say('The change is delivered again.'),
});

const attempts = vendorCommand({
  name: 'attempts',
  summary: 'list its latest calls',
  description: 'List the latest calls of a webhook.',
  args: WEBHOOK,
  flags: JSON_FLAG,
  call: async ({ client, path }) =>
    (await answered(client.GET(`${ONE}/attempts`, { params: { path } }))).items,
  show: (items, { output }) =>
    output.table(items, {
      'time (UTC)': (each) => timeOf(each.createdAt),
      call: (each) => each.id,
      event: (each) => each.eventId,
      type: (each) => each.type,
      attempt: (each) => String(each.number),
      answer: (each) => (each.status === null ? (each.error ?? '') : String(each.status)),
      ms: (each) => String(each.durationMs),
    }),
});

/** `modulectl webhooks`: manages the webhooks of a module. */
export const webhooks = commandGroup('webhooks', 'manage the webhooks of a module', [
  create,
  list,
  pause,
  enable,
  remove,
  rotate,
  test,
  resend,
  attempts,
]);
