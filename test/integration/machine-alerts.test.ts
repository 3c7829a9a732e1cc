import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  install,
  makeAlertSource,
  makeRule,
  putFarms,
  sampleAlert,
  sampleFarm,
  type AlertSource,
} from '../support/machine-access.ts';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.ts';

const CALL = '/AlertsByModuleId';

let app: TestApp;
let source: AlertSource;
const farm = sampleFarm();

beforeAll(async () => {
  app = await startTestApp({ settings: { MAX_REQUESTS_PER_MINUTE_PER_KEY: '0' } });
  source = await makeAlertSource(app, farm);
});

afterAll(() => app.stop());

const alert = (members?: Readonly<Record<string, unknown>>) => sampleAlert(source, members);

const raise = (...alerts: unknown[]) => app.as(source.module).post(CALL, { alerts });

interface Result {
  readonly id: string;
  readonly fingerprint: string;
  readonly outcome: string;
}

const resultsOf = (answer: Answer) => answer.body.results as Result[];
const outcomes = (answer: Answer) => resultsOf(answer).map(({ outcome }) => outcome);

async function countAlerts(): Promise<number> {
  return (await app.api.database('alerts').select('id')).length;
}

async function alertsOf(fingerprint: string): Promise<{ id: string; status: string }[]> {
  return app.api
    .database('alerts')
    .where({ fingerprint: Buffer.from(fingerprint, 'hex') })
    .orderBy('createdAt');
}

test('an alert is created, repeated, updated and resolved; the results are in the order of the batch', async () => {
  const [first, second] = [alert(), alert()];
  const created = await raise(first, second);
  expect(created.status, created.text).toBe(200);
  expect(outcomes(created)).toEqual(['created', 'created']);
  const [one, two] = resultsOf(created);
  expect(one?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  const next = await raise({ ...second, severity: 'critical' }, first, alert());
  expect(outcomes(next)).toEqual(['updated', 'unchanged', 'created']);
  expect(
    resultsOf(next)
      .slice(0, 2)
      .map(({ id }) => id),
  ).toEqual([two?.id, one?.id]);
  const resolved = await raise({ ...first, status: 'resolved', endsAt: '2027-11-20T10:30:00Z' });
  expect(resultsOf(resolved)).toEqual([{ id: one?.id, fingerprint: one?.fingerprint, outcome: 'resolved' }]);
});

test('resolving again changes nothing, and firing after that opens a new alert', async () => {
  const own = alert();
  const [first] = resultsOf(await raise(own));
  await raise({ ...own, status: 'resolved' });
  expect(resultsOf(await raise({ ...own, status: 'resolved' }))).toEqual([
    { ...first, outcome: 'unchanged' },
  ]);
  const [second] = resultsOf(await raise(own));
  expect(second).toMatchObject({ outcome: 'created', fingerprint: first?.fingerprint });
  expect(second?.id).not.toBe(first?.id);
});

test('an alert that is resolved with a later start has that start, and the same request again changes nothing', async () => {
  const own = alert({ startsAt: '2027-11-20T09:30:00.000Z' });
  const [first] = resultsOf(await raise(own));
  const end = { ...own, status: 'resolved', startsAt: '2027-11-20T10:00:00.000Z' };
  expect(outcomes(await raise(end))).toEqual(['resolved']);
  expect(resultsOf(await raise(end))).toEqual([{ ...first, outcome: 'unchanged' }]);
  expect(await alertsOf(first?.fingerprint ?? '')).toMatchObject([{ startsAt: new Date(end.startsAt) }]);
});

test('an alert that is resolved when it is first received is stored as resolved', async () => {
  const own = alert({ status: 'resolved', endsAt: '2027-11-20T12:00:00Z' });
  const [created] = resultsOf(await raise(own));
  expect(created?.outcome).toBe('created');
  expect(await alertsOf(created?.fingerprint ?? '')).toMatchObject([{ status: 'resolved' }]);
  expect(outcomes(await raise(own))).toEqual(['unchanged']);
});

test('an alert whose target is gone can be resolved, also by a repeat, and not be raised again', async () => {
  const farmer = await app.organization({ kind: 'farmer', tenantId: source.module.vendor.tenantId });
  await install(app, farmer, source.module.moduleId);
  const ownFarm = sampleFarm();
  await putFarms(app, farmer, [ownFarm]);
  const ruleId = await makeRule(app, farmer, source.module.moduleId);
  const own = alert({ ruleId, target: { type: 'farm', id: ownFarm.id } });
  await raise(own);
  await app.as(farmer).delete('/structures');
  const end = { ...own, status: 'resolved' };
  expect(outcomes(await raise(end, alert()))).toEqual(['resolved', 'created']);
  expect(outcomes(await raise(end))).toEqual(['unchanged']);
  for (const refused of [own, { ...end, labels: { test: 'never raised' } }])
    expect((await raise(refused)).body).toMatchObject({
      status: 400,
      errors: [{ pointer: '/alerts/0/target' }],
    });
});

test('a repeat keeps the acknowledgement', async () => {
  const own = alert();
  const [raised] = resultsOf(await raise(own));
  await app.as(source.farmer).post(`/alerts/${raised?.id ?? ''}/acknowledge`);
  await raise({ ...own, message: 'Now below 0 °C.' });
  const list = await app.as(source.farmer).get('/alerts?limit=200');
  const found = (list.body.items as Record<string, unknown>[]).find(({ id }) => id === raised?.id);
  expect(found).toMatchObject({ message: 'Now below 0 °C.', target: { type: 'farm', id: farm.id } });
  expect(found?.['acknowledgedAt']).not.toBeNull();
});

test("the fingerprint depends on rule, target and labels in any order, not on the alert's texts", async () => {
  const labels = { b: '2', a: randomUUID() };
  const [first] = resultsOf(await raise(alert({ labels })));
  const [second] = resultsOf(
    await raise(alert({ labels: { a: labels.a, b: '2' }, title: 'Other', value: 7 })),
  );
  expect(second).toEqual({ ...first, outcome: 'updated' });
  const others = await raise(
    alert({ labels, target: { type: 'field', id: farm.fields[0]?.id } }),
    alert({ labels: { ...labels, b: '3' } }),
  );
  expect(outcomes(others)).toEqual(['created', 'created']);
});

test('IDs are accepted in any letter case', async () => {
  const own = alert();
  await raise(own);
  const upper = {
    ...own,
    ruleId: source.ruleId.toUpperCase(),
    target: { type: 'farm', id: farm.id.toUpperCase() },
  };
  expect(outcomes(await raise(upper))).toEqual(['unchanged']);
});

test('twenty concurrent senders of one fingerprint create exactly one open alert', async () => {
  const own = alert();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => raise({ ...own, message: `sender ${index % 10}` })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  const results = answers.flatMap(resultsOf);
  expect(results.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
  expect(new Set(results.map(({ id }) => id)).size).toBe(1);
  expect(await alertsOf(results[0]?.fingerprint ?? '')).toHaveLength(1);
});

test('concurrent batches with the same alerts in different orders do not deadlock', async () => {
  const batch = Array.from({ length: 20 }, () => alert());
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => {
      const mixed = index % 2 === 0 ? batch : batch.toReversed();
      return raise(...mixed.map((each) => (index % 3 === 0 ? { ...each, status: 'resolved' } : each)));
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
});

test('the same fingerprint twice in one batch is refused with its location', async () => {
  const own = alert();
  const before = await countAlerts();
  const answer = await raise(own, alert(), { ...own, title: 'Again' });
  expect(answer.body).toMatchObject({ status: 400, errorsTotal: 1, errors: [{ pointer: '/alerts/2' }] });
  expect(await countAlerts()).toBe(before);
});

test('one bad alert refuses the whole batch, with a pointer to each issue, and nothing is stored', async () => {
  const before = await countAlerts();
  const answer = await raise(
    alert(),
    alert({ ruleId: randomUUID() }),
    alert({ target: { type: 'farm', id: randomUUID() } }),
    alert({ target: { type: 'block', id: farm.id } }),
  );
  expect(answer.status).toBe(400);
  expect((answer.body.errors as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
    '/alerts/1/ruleId',
    '/alerts/2/target',
    '/alerts/3/target',
  ]);
  expect(await countAlerts()).toBe(before);
});

test.each([
  ['no rule', { ruleId: undefined }, '/alerts/0/ruleId'],
  ['a malformed rule ID', { ruleId: 'x' }, '/alerts/0/ruleId'],
  ['an unknown target type', { target: { type: 'barn', id: farm.id } }, '/alerts/0/target/type'],
  ['an unknown status', { status: 'open' }, '/alerts/0/status'],
  ['an unknown severity', { severity: 'bad' }, '/alerts/0/severity'],
  ['an end before the start', { endsAt: '2027-11-20T08:00:00Z' }, '/alerts/0/endsAt'],
  ['a time without an offset', { startsAt: '2027-11-20T09:30:00' }, '/alerts/0/startsAt'],
  ['a month that does not exist', { startsAt: '2027-13-40T09:30:00Z' }, '/alerts/0/startsAt'],
  ['a day that does not exist', { startsAt: '2027-02-30T09:30:00Z' }, '/alerts/0/startsAt'],
  ['a blank title', { title: ' ' }, '/alerts/0/title'],
  ['a NUL in a text', { message: 'a\0b' }, '/alerts/0/message'],
  ['a NUL in the name of a label', { labels: { 'a\0': 'b' } }, '/alerts/0/labels/a\0'],
  ['half a surrogate pair', { title: '\ud800' }, '/alerts/0/title'],
  ['a value that is not a number', { value: '7' }, '/alerts/0/value'],
  ['a label that is not a string', { labels: { a: 1 } }, '/alerts/0/labels/a'],
  ['an unknown member', { color: 'red' }, '/alerts/0/color'],
])('%s is refused with its location, and nothing is stored', async (_what, members, pointer) => {
  const before = await countAlerts();
  const answer = await raise(alert(members));
  expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer }] });
  expect(await countAlerts()).toBe(before);
});

test('a number beyond the range of JSON numbers is refused', async () => {
  const text = JSON.stringify({ alerts: [alert({ value: 7 })] }).replace('"value":7', '"value":1e999');
  const answer = await app.as(source.module).post(CALL, text);
  expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: '/alerts/0/value' }] });
});

test.each([
  ['NaN', '{"alerts":[{"value":NaN}]}', 400],
  ['an empty batch', '{"alerts":[]}', 400],
  ['no JSON', 'alerts', 400],
  ['a list', '[]', 400],
  ['over ten megabytes', `{"alerts":["${'x'.repeat(10 * 1024 * 1024)}"]}`, 413],
])('%s is refused as a body', async (_what, body, status) => {
  const answer = await app.as(source.module).post(CALL, body);
  expect(answer.status).toBe(status);
});

test('a thousand alerts are accepted at once, a thousand and one are not', async () => {
  const batch = Array.from({ length: 1_000 }, () => alert());
  const before = await countAlerts();
  const refused = await raise(...batch, alert());
  expect(refused.body).toMatchObject({ status: 400, errors: [{ pointer: '/alerts' }] });
  expect(await countAlerts()).toBe(before);
  expect(new Set(outcomes(await raise(...batch)))).toEqual(new Set(['created']));
  expect(await countAlerts()).toBe(before + 1_000);
});
