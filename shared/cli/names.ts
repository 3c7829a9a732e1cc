import { isGuid } from '../package/schema/schema-parts.ts';
import { defined } from './command.ts';
import { idOfNamed, type Kind, type Named } from './named.ts';
import { answered, type VendorSession } from './server.ts';

type Session = Pick<VendorSession, 'client' | 'orgId'>;

/** The arguments of a command, one of which names a module. */
interface OfModule {
  readonly moduleId?: string | undefined;
}

interface ModulePath {
  readonly orgId: string;
  readonly moduleId: string;
}

const PAGE_ITEMS = 200;

/** All modules of the organization, newest first. */
export async function readModules({ client, orgId }: Session) {
  const read = async (cursor?: string) =>
    answered(
      client.GET('/api/v8.0/{orgId}/modules', {
        params: { path: { orgId }, query: { limit: PAGE_ITEMS, ...defined({ cursor }) } },
      }),
    );
  let page = await read();
  const modules = [...page.items];
  // A server that answers with an empty page and a cursor would be asked forever.
  while (page.nextCursor !== null && page.items.length > 0) {
    page = await read(page.nextCursor);
    modules.push(...page.items);
  }
  return modules;
}

/** The ID of a module by its ID, its English name or its scope. @throws CannotRunError */
export async function findModule(session: Session, text: string): Promise<string> {
  if (isGuid(text)) return text;
  const modules = await readModules(session);
  const named = modules.map(({ id, moduleName, scope }) => ({ id, names: [moduleName, scope] }));
  return idOfNamed(text, { word: 'module', list: 'modulectl modules list' }, named);
}

/** The arguments that name a module. */
export const MODULE = {
  moduleId: { usage: '<module>', text: 'ID or name of the module', find: findModule },
};

/** Finds the ID of something of a module, by its ID or by a name in the list that `readNamed` reads. */
const finderOf =
  (
    { word, list }: Kind,
    readNamed: (client: Session['client'], path: ModulePath) => Promise<readonly Named[]>,
  ) =>
  /** @throws CannotRunError */
  async ({ client, orgId }: Session, text: string, { moduleId = '' }: OfModule): Promise<string> => {
    if (isGuid(text)) return text;
    const named = await readNamed(client, { orgId, moduleId });
    return idOfNamed(text, { word, list: `${list} ${moduleId}` }, named);
  };

/** The ID of an API client by its ID or its name. */
export const findClient = finderOf({ word: 'client', list: 'modulectl keys list' }, async (client, path) => {
  const { items } = await answered(
    client.GET('/api/v8.0/{orgId}/apiClients/{moduleId}', { params: { path } }),
  );
  // A rotation adds a key to its client.
  const names = new Map(items.map(({ clientId, clientName }) => [clientId, clientName]));
  return [...names].map(([id, name]) => ({ id, names: [name] }));
});

/** The ID of a webhook by its ID, its address or its description. */
export const findWebhook = finderOf(
  { word: 'webhook', list: 'modulectl webhooks list' },
  async (client, path) => {
    const { items } = await answered(
      client.GET('/api/v8.0/{orgId}/webhooks/{moduleId}', { params: { path } }),
    );
    return items.map(({ id, url, description }) => ({ id, names: [url, description] }));
  },
);
