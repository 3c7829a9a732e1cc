import { commandGroup, defined, JSON_FLAG, seconds, vendorCommand } from '../command.ts';
import { findClient, MODULE, readKeys } from '../names.ts';
import { timeOf } from '../output.ts';
import { answered, succeeded } from '../server.ts';
import type { Cli } from '../settings.ts';

const CLIENT = {
  ...MODULE,
  clientId: { usage: '<client>', text: 'ID or name of the client', find: findClient },
};
const KEYS = '/api/v8.0/{orgId}/apiClients/{moduleId}';
/** A time that servers accept, also when this is printed in some years. */
const IN_NINETY_DAYS = `${new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;

function showKey(
  key: Readonly<Record<'clientName' | 'clientId' | 'expiresOn', string> & { clientSecret: string | null }>,
  { output }: Pick<Cli, 'output'>,
): void {
  const { clientSecret, clientName, clientId, expiresOn } = key;
  output.secret(`Key of the client ${clientName} (${clientId}), valid until ${expiresOn}.`, clientSecret);
}

const create = vendorCommand({
  name: 'create',
  description: 'Create a key and output it. It is not shown again.',
  args: MODULE,
  page: ({ moduleId }) => `modules/${moduleId}/dev`,
  flags: {
    '--name <text>': 'name of the client',
    '--expires-on <time>': `when it expires, such as ${IN_NINETY_DAYS}`,
  },
  async call({ client, path }, { name, expiresOn }) {
    const body = defined({ clientName: name, expiresOn });
    return answered(
      client.POST('/api/v8.0/{orgId}/registerApiClient/{moduleId}', { params: { path }, body }),
    );
  },
  show: showKey,
});

const list = vendorCommand({
  name: 'list',
  description: 'List keys, without their secrets.',
  args: MODULE,
  flags: JSON_FLAG,
  call: (vendor) => readKeys(vendor, vendor.path),
  show: (items, { output }) =>
    output.table(items, {
      client: (each) => each.clientId,
      name: (each) => each.clientName,
      key: (each) => `${each.secretStart}…`,
      expires: (each) => each.expiresOn.slice(0, 10),
      'last used (UTC)': (each) => (each.lastUsedOn === null ? 'never' : timeOf(each.lastUsedOn)),
      '': (each) => (each.revokedAt === null ? '' : 'revoked'),
    }),
});

const revoke = vendorCommand({
  name: 'revoke',
  description: 'Revoke the keys of a client within a second.',
  args: CLIENT,
  page: ({ moduleId }) => `modules/${moduleId}/dev`,
  call: ({ client, path }) => succeeded(client.DELETE(`${KEYS}/{clientId}`, { params: { path } })),
  show: (_, { output }, { clientId }) => output.say(`Revoked the keys of the client ${clientId}.`),
});

const rotate = vendorCommand({
  name: 'rotate',
  description: 'Replace a key and output the new one.',
  args: CLIENT,
  page: ({ moduleId }) => `modules/${moduleId}/dev`,
  flags: { '--overlap <seconds>': { text: 'how long the old key still works (default: 0)', read: seconds } },
  async call({ client, path }, { overlap = 0 }) {
    const body = { overlapSeconds: overlap };
    return answered(client.POST(`${KEYS}/{clientId}/rotate`, { params: { path }, body }));
  },
  show: showKey,
});

/** `modulectl keys`: manages the API keys of a module. */
export const keys = commandGroup('keys', 'manage the API keys of a module', [create, list, revoke, rotate]);
