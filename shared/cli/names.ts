import { isGuid } from '../package/schema/schema-parts.ts';
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

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** All items of a list. */
async function allPages<Item>(
  read: (query: { readonly limit: number; readonly cursor?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  let page = await read({ limit: PAGE_ITEMS });
  const items = [...page.items];
  // A server that answers with an empty page and a cursor would be asked forever.
  while (page.nextCursor !== null && page.items.length > 0) {
    page = await read({ limit: PAGE_ITEMS, cursor: page.nextCursor });
    items.push(...page.items);
  }
  return items;
}

/** All modules of the organization, newest first. */
export async function readModules({ client, orgId }: Session) {
  const path = { orgId };
  return allPages((query) => answered(client.GET('/api/v8.0/{orgId}/modules', { params: { path, query } })));
}

/** All keys of a module, newest first. */
export async function readKeys({ client }: Pick<Session, 'client'>, path: ModulePath) {
  return allPages((query) =>
    answered(client.GET('/api/v8.0/{orgId}/apiClients/{moduleId}', { params: { path, query } })),
  );
}

/** All webhooks of a module, newest first. */
export async function readWebhooks({ client }: Pick<Session, 'client'>, path: ModulePath) {
  return allPages((query) =>
    answered(client.GET('/api/v8.0/{orgId}/webhooks/{moduleId}', { params: { path, query } })),
  );
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
  ({ word, list }: Kind, readNamed: (session: Session, path: ModulePath) => Promise<readonly Named[]>) =>
  /** @throws CannotRunError */
  async (session: Session, text: string, { moduleId = '' }: OfModule): Promise<string> => {
    if (isGuid(text)) return text;
    const named = await readNamed(session, { orgId: session.orgId, moduleId });
    return idOfNamed(text, { word, list: `${list} ${moduleId}` }, named);
  };

/** The ID of an API client by its ID or its name. */
export const findClient = finderOf({ word: 'client', list: 'modulectl keys list' }, async (session, path) => {
  // A rotation adds a key to its client.
  const names = new Map((await readKeys(session, path)).map((each) => [each.clientId, each.clientName]));
  return [...names].map(([id, name]) => ({ id, names: [name] }));
});

/** The ID of a webhook by its ID, its address or its description. */
export const findWebhook = finderOf(
  { word: 'webhook', list: 'modulectl webhooks list' },
  async (session, path) =>
    (await readWebhooks(session, path)).map(({ id, url, description }) => ({
      id,
      names: [url, description],
    })),
);
