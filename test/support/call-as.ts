import type { Answer, TestApp, TestOrganization } from './test-app.ts';

/** Calls an address below an organization's with a token, by default its administrator's; an object becomes JSON. */
export async function callAs(
  app: TestApp,
  organization: TestOrganization,
  call: string,
  { body, token = organization.admin }: { readonly body?: unknown; readonly token?: string | null } = {},
): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ');
  return app.fetch(`/api/v8.0/${organization.id}${path}`, {
    method,
    headers: {
      ...(token !== null && { Authorization: token }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The places of the faults that a problem document lists. */
export function pointersOf(answer: Answer): readonly string[] {
  return ((answer.body.errors ?? []) as { pointer: string }[]).map(({ pointer }) => pointer);
}

/** Reads a list to its end, two items a page. */
export async function readPages<Item>(
  app: TestApp,
  organization: TestOrganization,
  path: string,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = `limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { body } = await callAs(app, organization, `GET ${path}${path.includes('?') ? '&' : '?'}${query}`);
    items.push(...(body.items as Item[]));
    cursor = body.nextCursor as string | null;
  }
  return items;
}
