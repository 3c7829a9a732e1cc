import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  definition,
  expectErrors,
  GOOD_RULE,
  startRuleMarket,
  type RuleMarket,
} from '../support/rule-market.ts';
import { samplePackage } from '../support/sample-package.ts';

let market: RuleMarket;

beforeAll(async () => {
  market = await startRuleMarket();
});

afterAll(() => market.app.stop());

describe('creating a rule', () => {
  test('a valid rule is answered with 201 and its address, enabled and active', async () => {
    const moduleId = await market.installed();
    const answer = await market.post({ moduleId: moduleId.toUpperCase(), ...GOOD_RULE });
    expect(answer.status, answer.text).toBe(201);
    const id = answer.body.id as string;
    expect(answer.headers.get('location')).toBe(`/api/v8.0/${market.farmer.id}/alertRules/${id}`);
    expect(answer.body).toEqual({
      id,
      organizationId: market.farmer.id,
      moduleId,
      ...GOOD_RULE,
      name: null,
      enabled: true,
      status: 'active',
      outdatedReasons: [],
      definitionRevision: 1,
      expectedIntervalHours: null,
      lastReportAt: null,
      watched: false,
      unwatchedReason: 'data-area-not-granted',
      silentAt: null,
      createdAt: expect.stringMatching(/\+00:00$/) as string,
      updatedAt: expect.stringMatching(/\+00:00$/) as string,
    });
    expect(await market.read(id)).toEqual(answer.body);
    const asMember = await market.app.as(market.farmer, market.farmer.member).get(`/alertRules/${id}`);
    expect(asMember.body).toEqual(answer.body);
  });

  test('a name and enabled: false are stored', async () => {
    const moduleId = await market.installed();
    const body = { ...GOOD_RULE, name: 'x'.repeat(200), enabled: false };
    expect(await market.read(await market.rule(moduleId, body))).toMatchObject(body);
  });

  test('missing, unknown and mistyped members are reported, each with its location', async () => {
    const moduleId = await market.installed();
    expectErrors(await market.post({}), '/moduleId', '/criteria', '/values');
    expectErrors(await market.post({ moduleId, ...GOOD_RULE, status: 'active' }), '/status');
    expectErrors(await market.post({ ...GOOD_RULE, moduleId: 'x' }), '/moduleId');
    expectErrors(await market.post({ moduleId, ...GOOD_RULE, name: 'x'.repeat(201) }), '/name');
    expectErrors(await market.post({ moduleId, ...GOOD_RULE, name: 'a\0b' }), '/name');
    expectErrors(await market.post({ moduleId, ...GOOD_RULE, enabled: 'yes' }), '/enabled');
    expectErrors(await market.post({ moduleId, ...GOOD_RULE, values: [] }), '/values');
    expectErrors(
      await market.post({ moduleId, ...GOOD_RULE, values: { operator: null, value: {} } }),
      '/values/operator',
      '/values/value',
    );
    expect((await market.app.as(market.farmer).post('/alertRules')).status).toBe(400);
  });

  test('values that do not fit the definition are reported, each with its location', async () => {
    const moduleId = await market.installed();
    const values = { operator: 'eq', value: 61, unit: 'C' };
    const answer = await market.post({ moduleId, criteria: 'temperature', values });
    expectErrors(answer, '/values/operator', '/values/value', '/values/unit');
    expect(answer.text).toContain('The part \\"value\\" must not be above 60.');
    expectErrors(
      await market.post({ moduleId, criteria: 'temperature', values: {} }),
      '/values/operator',
      '/values/value',
    );
    expectErrors(await market.post({ moduleId, ...GOOD_RULE, criteria: 'rain' }), '/criteria');
  });

  test('names that every object inherits are refused like any other', async () => {
    const moduleId = await market.installed();
    for (const criteria of ['__proto__', 'constructor'])
      expectErrors(await market.post({ moduleId, ...GOOD_RULE, criteria }), '/criteria');
    const { status, body } = await market.app.fetch(`/api/v8.0/${market.farmer.id}/alertRules`, {
      method: 'POST',
      headers: { Authorization: market.farmer.admin, 'Content-Type': 'application/json' },
      body: `{ "moduleId": "${moduleId}", "criteria": "temperature", "values": { "operator": "gt", "value": 1, "__proto__": 2 } }`,
    });
    expect([status, body.errors[0].pointer]).toEqual([400, '/values/__proto__']);
  });

  test('of very many issues the first hundred are returned and the rest counted', async () => {
    const moduleId = await market.installed();
    const values = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`part ${index}`, 1]));
    const { body } = await market.post({ moduleId, criteria: 'temperature', values });
    expect([body.errors.length, body.errorsTotal]).toEqual([100, 502]);
  });

  test('a module without rule definitions accepts no rules', async () => {
    const moduleId = await market.installed(null);
    expectErrors(await market.post({ moduleId, ...GOOD_RULE }), '/criteria');
  });

  test('a module that is not installed, of another tenant, deleted or unknown results in the same issue', async () => {
    const notInstalled = await market.importModule();
    const uninstalled = await market.installed();
    await market.app.as(market.farmer).delete(`/installations/${uninstalled}`);
    const deleted = await market.installed();
    await market.app.as(market.vendor).delete(`/modules/${deleted}`);
    const elsewhere = await market.app.organization();
    const foreign = (await market.app.importPackage(elsewhere, samplePackage(market.app.api.catalogue))).body
      .moduleId as string;
    for (const moduleId of [notInstalled, uninstalled, deleted, foreign, randomUUID()]) {
      const answer = await market.post({ moduleId, ...GOOD_RULE });
      expectErrors(answer, '/moduleId');
      expect(answer.body.errors[0].detail).toBe('The organization has not installed this module.');
    }
  });

  test('a module that only another farmer has installed cannot be used', async () => {
    const moduleId = await market.installed();
    const other = await market.app.organization({ kind: 'farmer', tenantId: market.vendor.tenantId });
    expectErrors(await market.post({ moduleId, ...GOOD_RULE }, other), '/moduleId');
  });
});

describe('changing a rule', () => {
  test('criteria, values, name and enabled are replaced; omitted members get the defaults of a new rule', async () => {
    const moduleId = await market.installed(definition(60, 'temperature', 'rain'));
    const id = await market.rule(moduleId, { ...GOOD_RULE, name: 'Frost', enabled: false });
    const change = { criteria: 'rain', values: { operator: 'lt', value: -1.5 } };
    const answer = await market.put(id, { ...change, moduleId });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ id, ...change, name: null, enabled: true, status: 'active' });
    expect(await market.read(id)).toEqual(answer.body);
  });

  test('the module of a rule never changes', async () => {
    const id = await market.rule(await market.installed());
    expectErrors(await market.put(id, { ...GOOD_RULE, moduleId: await market.installed() }), '/moduleId');
  });

  test('an invalid change is refused with its location, and the rule does not change', async () => {
    const id = await market.rule(await market.installed());
    const before = await market.read(id);
    expectErrors(
      await market.put(id, { ...GOOD_RULE, values: { operator: 'gt', value: 'hot' } }),
      '/values/value',
    );
    expectErrors(await market.put(id, {}), '/criteria', '/values');
    expect(await market.read(id)).toEqual(before);
  });

  test('a rule of an uninstalled module can be read and deleted but not changed', async () => {
    const moduleId = await market.installed();
    const id = await market.rule(moduleId);
    await market.app.as(market.farmer).delete(`/installations/${moduleId}`);
    expect(await market.read(id)).toMatchObject({ ...GOOD_RULE, status: 'active' });
    expectErrors(await market.put(id, GOOD_RULE), '/moduleId');
    expect((await market.app.as(market.farmer).delete(`/alertRules/${id}`)).status).toBe(204);
  });
});

/** Inserts an alert of a rule; returns its ID. */
async function insertAlert(moduleId: string, ruleId: string, columns: object = {}): Promise<string> {
  const id = randomUUID();
  await market.app.api.database('alerts').insert({
    id,
    organizationId: market.farmer.id,
    moduleId,
    ruleId,
    fingerprint: randomBytes(32),
    targetType: 'farm',
    targetId: randomUUID(),
    status: 'firing',
    severity: 'info',
    startsAt: '2027-03-01T00:00:00Z',
    title: 'Too hot',
    message: 'It is too hot.',
    ...columns,
  });
  return id;
}

interface AlertTimes {
  readonly status: string;
  readonly startsAt: Date;
  readonly endsAt: Date | null;
}

const readAlert = async (id: string) => market.app.api.database('alerts').where({ id }).first<AlertTimes>();

describe('deleting a rule', () =>
  test('its open alerts are resolved, never before they started; others do not change', async () => {
    const moduleId = await market.installed();
    const [ruleId, otherRule] = [await market.rule(moduleId), await market.rule(moduleId)];
    const future = new Date(Date.now() + 3_600_000);
    const open = await insertAlert(moduleId, ruleId, { startsAt: new Date(Date.now() - 1_000) });
    const early = await insertAlert(moduleId, ruleId, { startsAt: future });
    const endsAt = new Date('2026-01-02T00:00:00Z');
    const ended = await insertAlert(moduleId, ruleId, { status: 'resolved', endsAt });
    const other = await insertAlert(moduleId, otherRule);

    const answer = await market.app.as(market.farmer).delete(`/alertRules/${ruleId}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    const resolved = await readAlert(open);
    expect(resolved.status).toBe('resolved');
    expect(resolved.endsAt?.getTime()).toBeGreaterThanOrEqual(resolved.startsAt.getTime());
    expect(await readAlert(early)).toMatchObject({ status: 'resolved', endsAt: future });
    expect(await readAlert(ended)).toMatchObject({ status: 'resolved', endsAt });
    expect(await readAlert(other)).toMatchObject({ status: 'firing', endsAt: null });
    expect((await market.app.as(market.farmer).delete(`/alertRules/${ruleId}`)).status).toBe(404);
    expect((await market.app.as(market.farmer).get(`/alertRules/${ruleId}`)).status).toBe(404);
  }));

describe('the list', () => {
  test('has the rules of the organization, newest first, in pages, optionally of one module', async () => {
    const own = await market.app.organization({ kind: 'farmer', tenantId: market.vendor.tenantId });
    const [one, two] = [await market.installed(undefined, own), await market.installed(undefined, own)];
    const ids: string[] = [];
    for (const moduleId of [one, two, one, two, one])
      ids.unshift(await market.rule(moduleId, GOOD_RULE, own));
    await market.app.as(market.farmer).put(`/installations/${one}`);
    await market.rule(one);
    const all = await market.app.as(own).pages<{ id: string }>('/alertRules');
    expect(all.map(({ id }) => id)).toEqual(ids);
    const some = await market.app.as(own).pages<{ id: string }>(`/alertRules?moduleId=${two.toUpperCase()}`);
    expect(some.map(({ id }) => id)).toEqual([ids[1], ids[3]]);
    const none = await market.app.as(own).get(`/alertRules?moduleId=${randomUUID()}`);
    expect(none.body).toEqual({ items: [], nextCursor: null });
  });

  test.each(['moduleId=x', 'moduleId=', 'limit=201', 'cursor=x'])('refuses %s', async (query) => {
    expect((await market.app.as(market.farmer).get(`/alertRules?${query}`)).status).toBe(400);
  });
});

describe('access', () => {
  const id = randomUUID();
  const reads = ['GET /alertRules', `GET /alertRules/${id}`];
  const writes = ['POST /alertRules', `PUT /alertRules/${id}`, `DELETE /alertRules/${id}`];

  test.each([...reads, ...writes])('%s needs a token, a membership, and a farmer', async (call) => {
    expect((await market.app.as(market.farmer, null).call(call)).status).toBe(401);
    expect((await market.app.as(market.farmer, market.vendor.admin).call(call)).status).toBe(403);
    expect((await market.app.as(market.vendor).call(call)).status).toBe(403);
  });

  test.each(writes)('%s needs an administrator', async (call) => {
    expect((await market.app.as(market.farmer, market.farmer.member).call(call)).status).toBe(403);
  });

  test('a rule of another organization is not found', async () => {
    const ruleId = await market.rule(await market.installed());
    const other = await market.app.organization({ kind: 'farmer', tenantId: market.vendor.tenantId });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? GOOD_RULE : undefined;
      expect((await market.app.as(other).call(`${method} /alertRules/${ruleId}`, body)).status).toBe(404);
    }
    expect(await market.read(ruleId)).toMatchObject(GOOD_RULE);
  });

  test('an ID that is not a GUID is refused, and other methods are answered with 405', async () => {
    expect((await market.app.as(market.farmer).get('/alertRules/x')).status).toBe(400);
    expect((await market.app.as(market.farmer).delete('/alertRules')).headers.get('allow')).toBe('GET, POST');
    expect((await market.app.as(market.farmer).post(`/alertRules/${id}`)).headers.get('allow')).toBe(
      'GET, PUT, DELETE',
    );
  });
});
