import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KeyRequestLog } from '../../api/machine-access/key-request-log.ts';
import { isApiKey } from '../../shared/db/access/api-key.ts';
import { noteKeyUses } from '../../shared/db/access/api-keys.ts';
import { openDatabase } from '../../shared/db/database.ts';
import { holdLock } from '../support/held-lock.ts';
import { importSample } from '../support/import-sample.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { areaIds } from '../support/machine-access.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;
let moduleId: string;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
  moduleId = await importModule(vendor);
});

afterAll(() => app.stop());

const importModule = (organization: TestOrganization) =>
  importSample(app, organization, { descriptor: { dataAreaIds: areaIds(app, ['FarmOrganizationAlerts']) } });

async function call(method: string, path: string, body?: string, authorization = vendor.admin) {
  return app.fetch(`/api/v8.0/${path}`, {
    method,
    headers: { Authorization: authorization, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body }),
  });
}

async function register(body = ''): Promise<Answer> {
  const answer = await call('POST', `${vendor.id}/registerApiClient/${moduleId}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

const clientPath = (clientId: string) => `${vendor.id}/apiClients/${moduleId}/${clientId}`;

/** Whether a key is accepted for its module's calls. */
async function statusWith(key: string): Promise<number> {
  const path = `/api/v8.0/Alerts/RuleDefinitionsByModuleId/${moduleId}`;
  return (await app.fetch(path, { headers: { 'X-Api-Key': key } })).status;
}

async function becomes(key: string, status: number): Promise<void> {
  await expect.poll(() => statusWith(key), { interval: 20 }).toBe(status);
}

test('registering returns the key, once, and the documented members', async () => {
  const answer = await register();
  const { clientSecret, clientId } = answer.body as { clientSecret: string; clientId: string };
  expect(answer.body).toEqual({
    moduleId,
    clientSecret: expect.stringMatching(/^mmk_[0-9A-Za-z]{49}$/) as string,
    clientName: `ApiKey_${clientId}`,
    parentId: vendor.id,
    clientId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    expiresOn: expect.stringMatching(/\+00:00$/) as string,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
  });
  expect(isApiKey(clientSecret)).toBe(true);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const days = (Date.parse(answer.body.expiresOn as string) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(364.9);
  const list = await call('GET', `${vendor.id}/apiClients/${moduleId}`);
  expect(list.text).not.toContain(clientSecret);
});

test.each([
  ['application/x-www-form-urlencoded', ''],
  ['text/plain', '  \n'],
  ['application/json', '{}'],
])('an empty body is accepted whatever its content type: %s', async (type, body) => {
  const answer = await app.fetch(`/api/v8.0/${vendor.id}/registerApiClient/${moduleId}`, {
    method: 'POST',
    headers: { Authorization: vendor.admin, 'Content-Type': type, Accept: 'text/plain' },
    body,
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('content-type')).toContain('application/json');
});

test("a body may set the client's name and expiry", async () => {
  const expiresOn = new Date(Date.now() + 3_600_000).toISOString();
  const answer = await register(JSON.stringify({ clientName: 'Nightly job', expiresOn }));
  expect(answer.body).toMatchObject({ clientName: 'Nightly job' });
  expect(Date.parse(answer.body.expiresOn as string)).toBe(Date.parse(expiresOn));
});

test.each([
  ['{"expiresOn":"2001-01-01T00:00:00Z"}', '/expiresOn'],
  ['{"expiresOn":"2999-01-01T00:00:00Z"}', '/expiresOn'],
  ['{"expiresOn":"soon"}', '/expiresOn'],
  ['{"clientName":""}', '/clientName'],
  ['{"clientName":"a\\u0000b"}', '/clientName'],
  ['{"owner":"me"}', '/owner'],
])(
  'an invalid body is refused with the location of the issue, and no key is made: %s',
  async (body, pointer) => {
    const before = await countKeys();
    const answer = await call('POST', `${vendor.id}/registerApiClient/${moduleId}`, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ type: '/problems/request-invalid', errors: [{ pointer }] });
    expect(await countKeys()).toBe(before);
  },
);

test('an expiry without an offset is refused: it would be of the time zone of the server', async () => {
  const inThreeDays = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const path = `${vendor.id}/registerApiClient/${moduleId}`;
  const statusOf = async (expiresOn: string) =>
    (await call('POST', path, JSON.stringify({ expiresOn }))).status;
  expect(await statusOf(inThreeDays.replace('Z', ''))).toBe(400);
  expect(await statusOf(inThreeDays.replace('Z', '+00:00'))).toBe(200);
  expect(await statusOf(inThreeDays.slice(0, 10))).toBe(200);
});

async function countKeys(): Promise<number> {
  return (await app.api.database('api_keys').select('id')).length;
}

test('only the SHA-256 and the first twelve characters of a secret are stored', async () => {
  const { clientSecret, id } = (await register()).body as { clientSecret: string; id: string };
  const [row] = await app.api.database('api_keys').where({ id }).select<Record<string, unknown>[]>();
  const text = JSON.stringify(row);
  expect(text).toContain(clientSecret.slice(0, 12));
  expect(text).not.toContain(clientSecret.slice(0, 13));
});

test('a key is accepted for its module, and the time of its last use is returned', async () => {
  const { clientSecret, id } = (await register()).body as { clientSecret: string; id: string };
  const beforeMs = Date.now();
  expect(await statusWith(clientSecret)).toBe(200);
  await app.api.apiKeys.flush();
  expect(Date.parse((await keyInList(id)).lastUsedOn ?? '')).toBeGreaterThanOrEqual(beforeMs);
});

test('requests with keys are listed with their status and request ID, by client, and those that failed', async () => {
  const requestsOf = async (query = '') => {
    await app.api.keyRequests.flush();
    const list = await call('GET', `${vendor.id}/modules/${moduleId}/keyRequests${query}`);
    return list.body.items as { traceId: string; clientId: string; status: number; route: string }[];
  };
  // Of the vendor's requests a hundred are kept until they are written, and other tests send many.
  await app.api.keyRequests.flush();
  const one = (await register()).body as { clientSecret: string; clientId: string; id: string };
  const other = (await register()).body as { clientSecret: string; clientId: string };
  const send = (key: string, module: string) =>
    app.fetch(`/api/v8.0/Alerts/RuleDefinitionsByModuleId/${module}`, { headers: { 'X-Api-Key': key } });
  const good = await send(one.clientSecret, moduleId);
  const refused = await send(one.clientSecret, randomUUID());
  await send(other.clientSecret, moduleId);
  const listed = await requestsOf(`?clientId=${one.clientId}`);
  // Both may have come in the same millisecond.
  listed.sort((before, after) => after.status - before.status);
  expect(listed).toMatchObject([
    { status: refused.status, traceId: refused.headers.get('x-trace-id') },
    {
      ...{ clientId: one.clientId, keyId: one.id, method: 'GET', status: 200 },
      route: '/api/v8.0/Alerts/RuleDefinitionsByModuleId/{moduleId}',
      traceId: good.headers.get('x-trace-id'),
    },
  ]);
  expect(listed).toHaveLength(2);
  expect(await requestsOf(`?clientId=${one.clientId}&failed=true`)).toEqual(listed.slice(0, 1));
  expect((await requestsOf()).map(({ clientId }) => clientId)).toContain(other.clientId);
});

test('of an organization that sends many requests a hundred are logged at once', async () => {
  const { database, log } = app.api;
  const keyRequests = new KeyRequestLog(database, log);
  const clientId = randomUUID();
  const request = {
    ...{ organizationId: vendor.id, moduleId, clientId, keyId: randomUUID(), method: 'GET', route: '/' },
    ...{ status: 200, traceId: '', createdAt: new Date() },
  };
  for (let n = 0; n < 120; n += 1) keyRequests.note(request);
  await keyRequests.close();
  expect(await database('key_requests').where({ clientId })).toHaveLength(100);
});

async function keyInList(
  id: string,
): Promise<{ id: string; lastUsedOn: string | null; revokedAt: string | null }> {
  const list = await call('GET', `${vendor.id}/apiClients/${moduleId}?limit=200`);
  const items = list.body.items as { id: string; lastUsedOn: string | null; revokedAt: string | null }[];
  const found = items.find((each) => each.id === id);
  if (found === undefined) throw new Error('the key is not in the list');
  return found;
}

test('a revoked key is refused; revoking again changes nothing', async () => {
  const { clientSecret, clientId, id } = (await register()).body as Record<string, string>;
  expect(await statusWith(clientSecret ?? '')).toBe(200);
  expect((await call('DELETE', clientPath(clientId ?? ''))).status).toBe(204);
  await becomes(clientSecret ?? '', 401);
  expect((await call('DELETE', clientPath(clientId ?? ''))).status).toBe(204);
  expect((await keyInList(id ?? '')).revokedAt).not.toBeNull();
});

test('a rotation returns a new key for the client; the old one works during the overlap, and DELETE ends both', async () => {
  const { clientSecret, clientId, id } = (await register()).body as Record<string, string>;
  const rotated = await call('POST', `${clientPath(clientId ?? '')}/rotate`, '{"overlapSeconds":3600}');
  expect(rotated.status).toBe(200);
  expect(rotated.body).toMatchObject({ clientId, moduleId, parentId: vendor.id });
  expect(rotated.body.id).not.toBe(id);
  const newSecret = rotated.body.clientSecret as string;
  expect([await statusWith(clientSecret ?? ''), await statusWith(newSecret)]).toEqual([200, 200]);
  await call('DELETE', clientPath(clientId ?? ''));
  await becomes(clientSecret ?? '', 401);
  await becomes(newSecret, 401);
});

test('a rotation without an overlap ends the old key', async () => {
  const { clientSecret, clientId } = (await register()).body as Record<string, string>;
  expect(await statusWith(clientSecret ?? '')).toBe(200);
  const rotated = await call('POST', `${clientPath(clientId ?? '')}/rotate`);
  await becomes(clientSecret ?? '', 401);
  expect(await statusWith(rotated.body.clientSecret as string)).toBe(200);
});

test('a revoked or unknown client cannot be rotated, and no key is made', async () => {
  const { clientId } = (await register()).body as Record<string, string>;
  await call('DELETE', clientPath(clientId ?? ''));
  const before = await countKeys();
  expect((await call('POST', `${clientPath(clientId ?? '')}/rotate`)).status).toBe(404);
  expect((await call('POST', `${clientPath(randomUUID())}/rotate`)).status).toBe(404);
  expect((await call('DELETE', clientPath(randomUUID()))).status).toBe(404);
  expect(await countKeys()).toBe(before);
});

test.each(['{"overlapSeconds":-1}', '{"overlapSeconds":604801}', '{"overlapSeconds":1.5}'])(
  'an overlap is a whole number of seconds up to seven days: %s',
  async (body) => {
    const { clientId } = (await register()).body as Record<string, string>;
    const answer = await call('POST', `${clientPath(clientId ?? '')}/rotate`, body);
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: '/overlapSeconds' }] });
  },
);

test('an expired key is refused', async () => {
  const { clientSecret, id } = (await register()).body as { clientSecret: string; id: string };
  await app.api
    .database('api_keys')
    .where({ id })
    .update({ expiresAt: new Date(Date.now() - 1) });
  expect(await statusWith(clientSecret)).toBe(401);
});

test('a cached key is refused as soon as it expires', async () => {
  const usedKey = async (lifetimeMs: number): Promise<string> => {
    const expiresOn = new Date(Date.now() + lifetimeMs).toISOString();
    const { clientSecret } = (await register(JSON.stringify({ expiresOn }))).body as { clientSecret: string };
    // On a busy machine it may expire before its first use.
    return (await statusWith(clientSecret)) === 200 ? clientSecret : usedKey(2 * lifetimeMs);
  };
  await becomes(await usedKey(400), 401);
});

test('missing, malformed, unknown, expired and revoked keys all get one identical 401', async () => {
  const revoked = (await register()).body as Record<string, string>;
  await call('DELETE', clientPath(revoked['clientId'] ?? ''));
  const expired = (await register()).body as Record<string, string>;
  await app.api
    .database('api_keys')
    .where({ id: expired['id'] })
    .update({ expiresAt: new Date(0) });
  const { makeApiKey } = await import('../../shared/db/access/api-key.ts');
  const keys = ['mmk_x', makeApiKey().secret, expired['clientSecret'], revoked['clientSecret'], undefined];
  const answers = await Promise.all(
    keys.map(async (key) => {
      const headers: Record<string, string> = key === undefined ? {} : { 'X-Api-Key': key };
      const { status, body } = await app.fetch(`/api/v8.0/Alerts/RulesByModuleId/${moduleId}`, { headers });
      return { status, body: { ...(body as object), traceId: null } };
    }),
  );
  expect(answers[0]).toMatchObject({ status: 401, body: { type: '/problems/auth-api-key-invalid' } });
  for (const answer of answers) expect(answer).toEqual(answers[0]);
});

test('deleting a module ends its keys', async () => {
  const deletedModule = await importModule(vendor);
  const answer = await call('POST', `${vendor.id}/registerApiClient/${deletedModule}`);
  const path = `/api/v8.0/Alerts/RuleDefinitionsByModuleId/${deletedModule}`;
  const status = async () =>
    (await app.fetch(path, { headers: { 'X-Api-Key': answer.body.clientSecret as string } })).status;
  expect(await status()).toBe(200);
  expect((await call('DELETE', `${vendor.id}/modules/${deletedModule}`)).status).toBe(204);
  await expect.poll(status, { interval: 20 }).toBe(401);
});

test('registering, rotating and revoking are in the audit log, with the user', async () => {
  const own = await app.organization();
  const module = await importModule(own);
  const base = `${own.id}/apiClients/${module}`;
  const { clientId } = (await call('POST', `${own.id}/registerApiClient/${module}`, '', own.admin)).body as {
    clientId: string;
  };
  await call('POST', `${base}/${clientId}/rotate`, '', own.admin);
  await call('DELETE', `${base}/${clientId}`, undefined, own.admin);
  await call('DELETE', `${base}/${clientId}`, undefined, own.admin);
  const log = await call('GET', `${own.id}/auditLog`, undefined, own.member);
  const all = log.body.items as Record<string, unknown>[];
  const items = all.filter((item) => item['clientId'] !== null);
  expect(items.map(({ action }) => action)).toEqual([
    'apiClient.revoked',
    'apiClient.rotated',
    'apiClient.registered',
  ]);
  for (const item of items) {
    expect(item).toMatchObject({
      moduleId: module,
      clientId,
      traceId: expect.stringMatching(/^\w{32}$/) as string,
    });
    expect(item['actor']).not.toBe('');
    expect(item['at']).toMatch(/\+00:00$/);
  }
  expect((await call('GET', `${vendor.id}/auditLog`)).text).not.toContain(clientId);
});

test.each([
  ['POST', (id: string) => `${id}/registerApiClient/`],
  ['GET', (id: string) => `${id}/apiClients/`],
] as const)('%s for a module of another organization reveals nothing about it', async (method, path) => {
  const other = await app.organization();
  const answer = await call(method, `${path(other.id)}${moduleId}`, undefined, other.admin);
  expect(method === 'GET' ? answer.body : answer.status).toEqual(
    method === 'GET' ? { items: [], nextCursor: null } : 404,
  );
});

test('a member who is not an administrator reads keys, but makes, rotates and revokes none', async () => {
  const { clientId } = (await register()).body as { clientId: string };
  const as = (method: string, path: string) => call(method, path, undefined, vendor.member);
  expect((await as('GET', `${vendor.id}/apiClients/${moduleId}`)).status).toBe(200);
  expect((await as('POST', `${vendor.id}/registerApiClient/${moduleId}`)).status).toBe(403);
  expect((await as('POST', `${clientPath(clientId)}/rotate`)).status).toBe(403);
  expect((await as('DELETE', clientPath(clientId))).status).toBe(403);
});

test('a farmer organization has no keys', async () => {
  const farmer = await app.organization({ kind: 'farmer' });
  const answer = await call('POST', `${farmer.id}/registerApiClient/${moduleId}`, '', farmer.admin);
  expect(answer.status).toBe(403);
});

test('two processes note uses of the same keys in opposite orders, and neither is refused', async () => {
  const keys = [await register(), await register(), await register()];
  const [first, held, last] = keys.map(({ body }) => body.id as string) as [string, string, string];
  const processes = openDatabase({ url: app.environment['DATABASE_URL'] ?? '', poolSize: 2 });
  const note = async (ids: readonly string[], at: Date) =>
    processes.transaction(async (transaction) => {
      // As with many keys: each is found by its ID.
      for (const plan of ['hashjoin', 'mergejoin', 'seqscan'])
        await transaction.raw(`set local enable_${plan} = off`);
      await noteKeyUses(transaction, new Map(ids.map((id) => [id, at])));
    });
  const lock = await holdLock(app, 'select from api_keys where id = $1 for update', [held]);
  const later = new Date('2030-01-02');
  const noted = [note([first, held, last], new Date('2030-01-01')), note([last, held, first], later)];
  await expect.poll(() => lockWaits(app)).toBe(2);
  await lock.release();
  await Promise.all(noted);
  await processes.destroy();
  const rows = await app.api.database('api_keys').whereIn('id', [first, held, last]).select('lastUsedAt');
  expect(rows).toEqual(Array.from({ length: 3 }, () => ({ lastUsedAt: later })));
});
