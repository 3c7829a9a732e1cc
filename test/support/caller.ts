import type { Answer, TestApp, TestOrganization } from './test-app.ts';

/** A vendor's module with a key. */
export interface TestModule {
  readonly vendor: TestOrganization;
  readonly moduleId: string;
  readonly key: string;
}

/** The caller: an administrator of an organization, a module's back end, or an operator. */
export type Who = TestOrganization | Pick<TestModule, 'moduleId' | 'key'> | 'operator';

type HeaderFields = Readonly<Record<string, string>>;

/**
 * Calls the API as one caller, with paths relative to the caller's: an organization's `/imports`, a module's
 * `/RulesByModuleId?limit=1`, an operator's `/organizations`. A text body is sent as it is, any other as JSON.
 */
export interface Caller {
  get(path: string, headers?: HeaderFields): Promise<Answer>;
  delete(path: string, headers?: HeaderFields): Promise<Answer>;
  post(path: string, body?: unknown, headers?: HeaderFields): Promise<Answer>;
  put(path: string, body?: unknown, headers?: HeaderFields): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: HeaderFields): Promise<Answer>;
  /** A call by method and path in one text, such as `HEAD /imports`. */
  call(methodAndPath: string, body?: unknown, headers?: HeaderFields): Promise<Answer>;
  /** Reads a list to its end, two items a page. */
  pages<Item>(path: string): Promise<readonly Item[]>;
}

/** The caller and its credential; an organization may use a token other than its administrator's, or none. */
export function callerOf(app: Pick<TestApp, 'fetch' | 'bearer'>, who: Who, token?: string | null): Caller {
  const call: Caller['call'] = async (methodAndPath, body, headers = {}) => {
    const pathAt = methodAndPath.indexOf(' ') + 1;
    const method = methodAndPath.slice(0, pathAt - 1);
    const path = methodAndPath.slice(pathAt);
    const credential = await credentialOf(app, who, token);
    return app.fetch(addressOf(who, path), {
      method,
      headers: {
        ...credential,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  };
  return {
    call,
    async pages<Item>(path: string) {
      const items: Item[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const query = `limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const { body } = await call(`GET ${path}${path.includes('?') ? '&' : '?'}${query}`);
        items.push(...(body.items as Item[]));
        cursor = body.nextCursor as string | null;
      }
      return items;
    },
    get: (path, headers) => call(`GET ${path}`, undefined, headers),
    delete: (path, headers) => call(`DELETE ${path}`, undefined, headers),
    post: (path, body, headers) => call(`POST ${path}`, body, headers),
    put: (path, body, headers) => call(`PUT ${path}`, body, headers),
    patch: (path, body, headers) => call(`PATCH ${path}`, body, headers),
  };
}

function addressOf(who: Who, path: string): string {
  if (who === 'operator') return `/api/v8.0${path}`;
  if ('id' in who) return `/api/v8.0/${who.id}${path}`;
  const callEnd = path.includes('?') ? path.indexOf('?') : path.length;
  return `/api/v8.0/Alerts${path.slice(0, callEnd)}/${who.moduleId}${path.slice(callEnd)}`;
}

async function credentialOf(
  app: Pick<TestApp, 'bearer'>,
  who: Who,
  token: string | null | undefined,
): Promise<HeaderFields> {
  if (token === null) return {};
  if (token !== undefined) return { Authorization: token };
  if (who === 'operator') return { Authorization: await app.bearer({ operator: true }) };
  return 'id' in who ? { Authorization: who.admin } : { 'X-Api-Key': who.key };
}
