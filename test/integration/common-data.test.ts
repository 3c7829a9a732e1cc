import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.ts';

interface Entry {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly description: string | null;
  readonly parent: string | null;
}

let app: TestApp;
let authorization: string;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  authorization = await app.bearer({});
});

afterAll(() => app.stop());

async function read(suffix: string): Promise<Answer> {
  return app.fetch(`/api/v8.0/CommonData${suffix}`, { headers: { Authorization: authorization } });
}

async function entries(set: string): Promise<readonly Entry[]> {
  const answer = await read(`/${set}`);
  expect(answer.status).toBe(200);
  return answer.body.items as Entry[];
}

/** Every set with the number of its entries. */
async function sets(): Promise<readonly { readonly key: string; readonly count: number }[]> {
  return (await read('')).body.items as { key: string; count: number }[];
}

test('every set is listed with the number of its entries', async () => {
  const listed = await sets();
  expect(listed.map(({ key }) => key)).toEqual(
    expect.arrayContaining(['languages', 'dataAreas', 'countries']),
  );
  for (const { key, count } of listed) {
    const items = await entries(key);
    expect(items, key).toHaveLength(count);
    expect(count, key).toBeGreaterThan(0);
  }
});

test('an entry has only an ID, key, value, description and parent', async () => {
  for (const { key } of await sets()) {
    for (const entry of await entries(key)) {
      expect(Object.keys(entry).toSorted()).toEqual(['description', 'id', 'key', 'parent', 'value']);
      expect(entry.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(entry.value).not.toBe('');
    }
  }
});

test('IDs are unique over all sets, and keys within a set', async () => {
  const ids: string[] = [];
  for (const { key } of await sets()) {
    const items = await entries(key);
    expect(new Set(items.map((entry) => entry.key)).size, key).toBe(items.length);
    ids.push(...items.map(({ id }) => id));
  }
  expect(new Set(ids).size).toBe(ids.length);
});

test('shipped IDs are the same on every deployment and never change', async () => {
  const idOf = async (set: string, key: string) => (await entries(set)).find((each) => each.key === key)?.id;
  expect(await idOf('languages', 'en')).toBe('f61a6a1d-cf4f-5538-b036-da98ac9c0818');
  expect(await idOf('dataAreas', 'FarmOrganization')).toBe('3e72d88d-cff7-501b-b05d-55a417166023');
  expect(await idOf('dataAreas', 'FarmOrganizationAlerts')).toBe('752b7109-d943-54da-ae0e-3355173a4489');
});

test('the English entry is the language in which packages must have a translation', async () => {
  const english = (await entries('languages')).find(({ key }) => key === 'en');
  expect(english).toMatchObject({ id: app.api.catalogue.englishId, value: 'English' });
});

test('there are four data areas, each with the tables that it grants', async () => {
  const areas = (await entries('dataAreas')).map(({ key, description }) => [key, description]);
  expect(Object.fromEntries(areas)).toEqual({
    FarmOrganization: 'farm_organizations, farms, fields, blocks, irrigation_stations',
    FarmOrganizationAlerts: 'alert_rules, alerts',
    FarmMember: expect.any(String) as string,
    ADMAMasterdata: expect.any(String) as string,
  });
});

test("a platform's catalogue file replaces the sets that it contains, adds its own, and keeps the rest", async () => {
  const file = path.join(inject('scratch'), `catalogue-${randomUUID()}.json`);
  const fennel = { id: randomUUID(), key: 'fennel', value: 'Fennel', description: null, parent: null };
  const valley = {
    id: randomUUID(),
    key: 'valley',
    value: 'Valley',
    description: 'Low',
    parent: randomUUID(),
  };
  await writeFile(file, JSON.stringify({ crops: [fennel], terrains: [valley] }));
  const own = await startTestApp({ worker: false, settings: { CATALOGUE_FILE: file } });
  const Authorization = await own.bearer({});
  const itemsOf = async (set: string) =>
    (await own.fetch(`/api/v8.0/CommonData/${set}`, { headers: { Authorization } })).body.items as Entry[];
  expect(await itemsOf('crops')).toEqual([fennel]);
  expect(await itemsOf('terrains')).toEqual([valley]);
  expect(await itemsOf('languages')).toEqual(await entries('languages'));
  await own.stop();
});

test.each(['tides', 'Languages', 'constructor', '__proto__', 'languages%00', '%2e%2e%2flimits'])(
  'a set that the catalogue does not have is 404: %s',
  async (set) => {
    const answer = await read(`/${set}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ type: '/problems/not-found' });
  },
);

describe.each(['/api/v8.0/CommonData', '/api/v8.0/CommonData/languages'])('%s', (address) => {
  test('accepts any valid token: of a member, of an operator, of a user without roles', async () => {
    const member = await app.organization();
    for (const Authorization of [member.member, await app.bearer({ operator: true }), await app.bearer({})]) {
      expect((await app.fetch(address, { headers: { Authorization } })).status).toBe(200);
    }
  });

  test('is 401 with WWW-Authenticate without a token', async () => {
    const answer = await app.fetch(address);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="api"');
    expect(answer.body).toMatchObject({ type: '/problems/auth-token-invalid' });
  });

  test('is 401 with an expired token, and the answer says that it expired', async () => {
    const Authorization = await app.bearer({ expiresIn: -3_600 });
    const answer = await app.fetch(address, { headers: { Authorization } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(answer.body.detail).toContain('expired');
  });

  test('is read only: another method is 405 with Allow', async () => {
    const answer = await app.fetch(address, { method: 'DELETE', headers: { Authorization: authorization } });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET');
  });
});
