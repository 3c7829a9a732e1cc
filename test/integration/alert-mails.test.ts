import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleAlert, type AlertSource } from '../support/machine-access.ts';
import type { ReceivedMail } from '../support/mail-server.ts';
import { header, MailService } from '../support/mail-service.ts';
import {
  deleteAlertsAfterwards,
  makeNotifiedFarmer,
  openAlertMessages,
  passTime,
  type ChangedSettings,
  type NotifiedFarmer,
} from '../support/notified-farmer.ts';
import type { TestApp } from '../support/test-app.ts';
import type { WorkerMetrics } from '../../worker/worker-metrics.ts';
import { holdTransaction } from '../support/held-lock.ts';
import { asLoginRoles } from '../support/login-roles.ts';

let service: MailService;
let app: TestApp;
let source: AlertSource;
let metrics: WorkerMetrics;

beforeAll(async () => {
  service = await MailService.start();
  ({ app, source, metrics } = service);
});

afterAll(() => service.stop());

const notified = (settings?: ChangedSettings) => service.notified(settings);
const runAfter = (seconds: number) => service.runAfter(seconds);
const mailsTo = (farmer: NotifiedFarmer) => service.mailsTo(farmer);

test('a thousand alerts of a burst are one mail, with their number and the link that ends the mails', async () => {
  const farmer = await notified();
  deleteAlertsAfterwards(app, farmer);
  await farmer.raise(1_000);
  await runAfter(60);
  await runAfter(600);
  const mails = mailsTo(farmer);
  expect(mails).toHaveLength(1);
  const [mail] = mails as [ReceivedMail];
  expect(header(mail, 'Subject')).toContain('1,000 alerts for');
  expect(header(mail, 'List-Unsubscribe')).toMatch(
    /^<https:\/\/modules\.example\.com\/notifications\/[\w-]{43}\/unsubscribe>$/,
  );
  expect(header(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  expect(mail.source).toContain('And 950 more alerts.');
});

test('alerts of a severity that is not wanted are not mailed, and those of a digest wait for it', async () => {
  const farmer = await notified({ info: { mail: 'none' }, warning: { mail: 'digest' } });
  await farmer.raise(1, { severity: 'info', title: 'Only noted' });
  await farmer.raise(1, { severity: 'warning', title: 'Dry soil' });
  await farmer.raise(1, { severity: 'critical', title: 'Frost' });
  await runAfter(5);
  // The next digest may be due in less than a minute.
  const { database } = app.api;
  await database('notification_recipients')
    .where({ address: farmer.address })
    .update({ digestDueAt: database.raw("now() + interval '1 day'") });
  await runAfter(60);
  expect(mailsTo(farmer).map((mail) => header(mail, 'Subject'))).toEqual(['Critical: Frost']);
  await runAfter(86_400);
  await runAfter(86_400);
  expect(mailsTo(farmer).map((mail) => header(mail, 'Subject'))).toEqual([
    'Critical: Frost',
    'Warning: Dry soil',
  ]);
});

test('an alert that becomes more severe is mailed then, and never twice', async () => {
  const farmer = await notified({ info: { mail: 'none' }, warning: { mail: 'digest' } });
  const raise = async (alert: object) => {
    const { status } = await app.as(farmer.module).post('/AlertsByModuleId', { alerts: [alert] });
    expect(status).toBe(200);
  };
  const alert = sampleAlert(farmer, { severity: 'info', title: 'Cold' });
  await raise(alert);
  await runAfter(60);
  expect(mailsTo(farmer)).toHaveLength(0);
  for (const severity of ['critical', 'warning', 'critical']) {
    await raise({ ...alert, severity });
    await runAfter(600);
  }
  await runAfter(86_400);
  expect(mailsTo(farmer).map((mail) => header(mail, 'Subject'))).toEqual(['Critical: Cold']);
});

test.each([
  ['the person had written no settings', () => makeNotifiedFarmer(app, source)],
  ['its severity was not wanted', () => notified({ warning: { mail: 'none' } })],
])('an alert that was not mailed because %s is mailed when it becomes more severe', async (_why, make) => {
  const farmer = await make();
  const alert = sampleAlert(farmer, { title: 'Cold' });
  const raise = (severity: string) =>
    app.as(farmer.module).post('/AlertsByModuleId', { alerts: [{ ...alert, severity }] });
  await raise('warning');
  await passTime(app, 600);
  await farmer.put();
  await farmer.raise(1, { title: 'Dry soil' });
  await runAfter(600);
  for (const severity of ['critical', 'info']) {
    await raise(severity);
    await runAfter(600);
  }
  const subjects = mailsTo(farmer).map((mail) => header(mail, 'Subject'));
  expect(subjects).toEqual(['Warning: Dry soil', 'Critical: Cold']);
});

test.each([
  ['the owner of the tables', () => Promise.resolve([app.api.database, app.api.database] as const)],
  ['two roles, neither of which sees what the other does', async () => asLoginRoles(app)],
])(
  'as %s: an alert whose transaction ends late is mailed, though a later one was mailed before',
  async (_roles, openDatabases) => {
    const farmer = await notified();
    const [raising, gathering] = await openDatabases();
    const gatherer = openAlertMessages({ ...app, api: { ...app.api, database: gathering } }, metrics);
    const late = await holdTransaction(raising);
    await late('alerts').insert({
      ...{ id: randomUUID(), organizationId: farmer.farmer.id, moduleId: farmer.module.moduleId },
      ...{ ruleId: farmer.ruleId, fingerprint: Buffer.from(randomUUID()), targetType: 'farm' },
      ...{ targetId: farmer.farm.id, status: 'firing', severity: 'warning', title: 'Late', message: '' },
      startsAt: new Date(),
    });
    await farmer.raise(1, { title: 'Early' });
    // Positions are a second behind.
    await late.raw('select pg_sleep(1.2)');
    await gatherer.run();
    const recipients = app.api.database('notification_recipients').where({ address: farmer.address });
    await recipients.whereNotNull('immediateDueAt').update({ immediateDueAt: new Date() });
    await gatherer.run();
    await late.commit();
    await runAfter(600);
    await runAfter(600);
    const sources = mailsTo(farmer)
      .map(({ source: text }) => text)
      .join();
    expect(sources).toContain('Early');
    expect(sources).toContain('Late');
  },
);

test('a transaction that runs for three minutes holds no mail back', async () => {
  const farmer = await notified();
  await (await holdTransaction(app.api.database)).raw('select');
  await farmer.raise(1);
  await runAfter(60);
  expect(mailsTo(farmer)).toHaveLength(0);
  await runAfter(180);
  expect(mailsTo(farmer)).toHaveLength(1);
});

test('an alert is mailed also after a failover to a database server whose clock is behind, and earlier ones not again', async () => {
  const farmer = await notified();
  await farmer.raise(1, { title: 'Before' });
  await runAfter(5);
  await passTime(app, 60);
  const { database } = app.api;
  const ahead = database.raw("now() + interval '2 minutes'");
  await database('notification_position').update({ position: ahead, nextPosition: ahead });
  // It runs since the failover, so the position that was noted before is taken.
  const beside = await holdTransaction(database);
  await beside.raw('select');
  await service.mailer.run();
  await beside.rollback();
  await farmer.raise(1, { title: 'After' });
  await runAfter(600);
  await runAfter(600);
  expect(mailsTo(farmer).map((mail) => header(mail, 'Subject'))).toEqual([
    'Warning: Before',
    'Warning: After',
  ]);
});

test('one click on the link of a mail ends the mails; to open it changes nothing', async () => {
  const farmer = await notified();
  await farmer.raise(1);
  await runAfter(60);
  const [mail] = mailsTo(farmer) as [ReceivedMail];
  const link = new URL((header(mail, 'List-Unsubscribe') ?? '').slice(1, -1)).pathname;
  const page = await app.fetch(link);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('<button>End the mails</button>')]);
  await farmer.raise(1);
  await runAfter(600);
  expect(mailsTo(farmer)).toHaveLength(2);
  const ended = await app.fetch(link, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  expect(ended.status, ended.text).toBe(200);
  await farmer.raise(1, { severity: 'critical' });
  await runAfter(600);
  expect(mailsTo(farmer)).toHaveLength(2);
  const { body } = await app.as(farmer.farmer, farmer.token).get('/notificationSettings');
  expect(body).toMatchObject({ info: { mail: 'none' }, critical: { mail: 'none' } });
});

test('a link that is not valid ends nothing', async () => {
  for (const method of ['GET', 'POST'])
    expect((await app.fetch(`/notifications/${'a'.repeat(43)}/unsubscribe`, { method })).status).toBe(404);
});

const farAway = () => {
  // Quiet from an hour ago to in an hour, by the clock of UTC.
  const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  return { from: clock(-1), to: clock(1), timeZone: 'UTC' };
};

test('quiet hours hold mails back, and lose none', async () => {
  const farmer = await notified({ quietHours: farAway() });
  await farmer.raise(2);
  await runAfter(600);
  expect(mailsTo(farmer)).toHaveLength(0);
  await farmer.put({ quietHours: null });
  await runAfter(60);
  expect(mailsTo(farmer)).toHaveLength(1);
});

test.each([
  ['before midnight', '2027-01-10T22:30:00Z', '22:00', '06:00', '2027-01-11T05:00:00.000Z'],
  ['after midnight', '2027-01-11T03:00:00Z', '22:00', '06:00', '2027-01-11T05:00:00.000Z'],
  ['when they have ended', '2027-01-11T05:00:00Z', '22:00', '06:00', null],
  ['on one day', '2027-01-11T12:00:00Z', '12:00', '14:30', '2027-01-11T13:30:00.000Z'],
  [
    'in the night that is an hour shorter',
    '2027-03-27T22:30:00Z',
    '22:00',
    '06:00',
    '2027-03-28T04:00:00.000Z',
  ],
  [
    'that end in the hour that does not exist',
    '2027-03-28T00:30:00Z',
    '22:00',
    '02:30',
    '2027-03-28T01:30:00.000Z',
  ],
  [
    'in the night that is an hour longer',
    '2027-10-30T21:30:00Z',
    '22:00',
    '06:00',
    '2027-10-31T05:00:00.000Z',
  ],
])('quiet hours %s end by the local clock', async (_when, instant, from, to, until) => {
  const { rows } = await app.api.database.raw<{ rows: { until: Date | null }[] }>(
    `select quiet_until(:instant::timestamptz, :from, :to, 'Europe/Berlin') as until`,
    { instant, from, to },
  );
  expect(rows[0]?.until?.toISOString() ?? null).toBe(until);
});

test.each([
  ['2027-01-11T03:00:00Z', '2027-01-11T05:00:00.000Z'],
  ['2027-01-11T05:00:00Z', '2027-01-12T05:00:00.000Z'],
  ['2027-03-27T12:00:00Z', '2027-03-28T04:00:00.000Z'],
])('the digest after %s is at six by the local clock', async (instant, next) => {
  const { rows } = await app.api.database.raw<{ rows: { next: Date }[] }>(
    `select next_digest(:instant::timestamptz, 'Europe/Berlin') as next`,
    { instant },
  );
  expect(rows[0]?.next.toISOString()).toBe(next);
});

test('a person who has left meanwhile gets no mail, and no settings stay', async () => {
  const farmer = await makeNotifiedFarmer(app, source, () => ({}));
  const path = `/members/fiona-${farmer.farmer.id}`;
  await app.as(farmer.farmer).put(path, { roles: ['OrganizationMember'] });
  expect((await farmer.put()).status).toBe(200);
  await passTime(app, 5);
  await farmer.raise(1);
  await app.as(farmer.farmer).delete(path);
  await runAfter(60);
  expect(mailsTo(farmer)).toHaveLength(0);
  const organizationId = farmer.farmer.id;
  expect(await app.api.database('notification_settings').where({ organizationId })).toHaveLength(0);
});

test('alerts of a module that was uninstalled meanwhile are not mailed', async () => {
  const farmer = await notified();
  await farmer.raise(1);
  await app.as(farmer.farmer).delete(`/installations/${farmer.module.moduleId}`);
  await runAfter(60);
  expect(mailsTo(farmer)).toHaveLength(0);
});

test('alerts of a module that is in quarantine are not mailed', async () => {
  const farmer = await notified();
  await farmer.raise(1);
  const quarantine = `/operations/modules/${farmer.module.moduleId}/quarantine`;
  const put = await app.as('operator').post(quarantine, { reason: 'It warns of nothing.' });
  expect(put.status, put.text).toBeLessThan(300);
  await runAfter(60);
  expect((await app.as('operator').delete(quarantine)).status).toBeLessThan(300);
  await runAfter(600);
  expect(mailsTo(farmer)).toHaveLength(0);
});

test('while the organization is suspended mails wait', async () => {
  const farmer = await notified();
  await farmer.raise(1);
  const path = `/api/v8.0/operations/organizations/${farmer.farmer.id}/suspension`;
  const operator = await app.bearer({ operator: true });
  const headers = { Authorization: operator, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ reason: 'Not paid.', farmersKeepAccess: true });
  expect((await app.fetch(path, { method: 'PUT', headers, body })).status).toBeLessThan(300);
  await runAfter(60);
  expect(mailsTo(farmer)).toHaveLength(0);
  await app.fetch(path, { method: 'DELETE', headers: { Authorization: operator } });
  await runAfter(1_200);
  expect(mailsTo(farmer)).toHaveLength(1);
});

test('names are escaped, and a subject has no line break', async () => {
  const farmer = await notified({ language: 'de' });
  await farmer.raise(1, { title: '<b>Frost</b>', severity: 'critical' });
  await runAfter(60);
  const [mail] = mailsTo(farmer) as [ReceivedMail];
  expect(header(mail, 'Subject')).toBe('Kritisch: <b>Frost</b>');
  expect(mail.source).toContain('&#60;b&#62;Frost');
  expect(mail.source).toContain('abbestellen');
});
