import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { claimMessage } from '../../shared/db/notifications/alert-messages.ts';
import type { AlertMessages } from '../../worker/notifications/alert-messages.ts';
import type { MailServerOfTest } from '../support/mail-server.ts';
import { header, MailService } from '../support/mail-service.ts';
import { passTime, type ChangedSettings, type NotifiedFarmer } from '../support/notified-farmer.ts';
import type { TestApp } from '../support/test-app.ts';

let service: MailService;
let app: TestApp;
let server: MailServerOfTest;
let mailer: AlertMessages;

beforeAll(async () => {
  service = await MailService.start();
  ({ app, server, mailer } = service);
});

afterAll(() => service.stop());

const notified = (settings?: ChangedSettings) => service.notified(settings);
const runAfter = (seconds: number) => service.runAfter(seconds);
const mailsTo = (farmer: NotifiedFarmer) => service.mailsTo(farmer);

test('a mail that a killed worker had claimed is not sent by another one, and the next one is', async () => {
  const farmer = await notified();
  await farmer.raise(1, { title: 'Lost' });
  await passTime(app, 5);
  await mailer.run();
  // A transaction that ran beside the first one may have hidden the alert from it.
  await mailer.run();
  await passTime(app, 60);
  expect(await claimMessage(app.api.database, 'mail')).toMatchObject({
    address: farmer.address,
    alertCount: 1,
  });
  await farmer.raise(1, { title: 'Next' });
  await runAfter(300);
  expect(mailsTo(farmer)).toHaveLength(0);
  await runAfter(600);
  expect(mailsTo(farmer).map((mail) => header(mail, 'Subject'))).toEqual(['Warning: Next']);
});

test('two workers send each mail once', async () => {
  const other = service.newMailer();
  const farmers = [await notified(), await notified(), await notified()];
  for (const farmer of farmers) await farmer.raise(2);
  await passTime(app, 5);
  await Promise.all([mailer.run(), other.run()]);
  await passTime(app, 60);
  await Promise.all([mailer.run(), other.run()]);
  for (const farmer of farmers) expect(mailsTo(farmer)).toHaveLength(1);
});

test('a worker that stops ends what it sends, and another one sends the rest once', async () => {
  const farmer = await notified();
  await farmer.raise(1, { title: 'Before' });
  await passTime(app, 5);
  await mailer.run();
  await passTime(app, 60);
  const stopping = service.newMailer();
  server.confirm = async () => {
    stopping.stop();
    await farmer.raise(1, { title: 'Meanwhile' });
  };
  await stopping.run();
  server.confirm = () => Promise.resolve();
  await runAfter(600);
  expect(mailsTo(farmer).map((mail) => header(mail, 'Subject'))).toEqual([
    'Warning: Before',
    'Warning: Meanwhile',
  ]);
});

test('while the mail server is away nothing is lost: the next mail has it all', async () => {
  const farmer = await notified();
  await server.stop();
  await farmer.raise(2);
  await passTime(app, 5);
  await mailer.run();
  await passTime(app, 60);
  // Each tries again later; a new process has no pause of its own.
  await service.newMailer().run();
  await farmer.raise(1);
  await server.start();
  await service.newMailer().run();
  expect(mailsTo(farmer)).toHaveLength(0);
  await passTime(app, 600);
  await service.newMailer().run();
  expect(mailsTo(farmer).map((mail) => header(mail, 'Subject'))).toEqual([
    expect.stringContaining('3 alerts for'),
  ]);
});

test('after the mail server was away for long, mails are tried within five minutes', async () => {
  const farmer = await notified();
  await farmer.raise(1);
  await passTime(app, 5);
  await mailer.run();
  await server.stop();
  for (let failures = 0; failures < 6; failures += 1) {
    await passTime(app, 3_600);
    await service.newMailer().run();
  }
  await server.start();
  await passTime(app, 300);
  await service.newMailer().run();
  expect(mailsTo(farmer)).toHaveLength(1);
});

test('mails that fail together pause the others once', async () => {
  const farmers = [await notified(), await notified(), await notified(), await notified()];
  for (const farmer of farmers) await farmer.raise(1);
  await passTime(app, 5);
  const paused = service.newMailer();
  await paused.run();
  await server.stop();
  await passTime(app, 60);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await paused.run();
  await server.start();
  await passTime(app, 60);
  vi.advanceTimersByTime(5_000);
  await paused.run();
  for (const farmer of farmers) expect(mailsTo(farmer)).toHaveLength(1);
});

test('an address that bounces is paused and shown; new settings set it going with what it has missed', async () => {
  const farmer = await notified();
  server.refused.set(farmer.address, 550);
  await farmer.raise(1);
  await runAfter(60);
  await farmer.raise(1);
  await runAfter(7_200);
  const { body } = await app.as(farmer.farmer, farmer.token).get('/notificationSettings');
  expect(body).toMatchObject({ address: farmer.address, bounce: { smtpStatus: 550 } });
  server.refused.delete(farmer.address);
  await runAfter(7_200);
  expect(mailsTo(farmer)).toHaveLength(0);
  expect((await farmer.put()).body).toMatchObject({ bounce: null });
  await runAfter(60);
  expect(mailsTo(farmer).map((mail) => header(mail, 'Subject'))).toEqual([
    expect.stringContaining('2 alerts for'),
  ]);
});

test('an address that is refused for now is tried again', async () => {
  const farmer = await notified();
  server.refused.set(farmer.address, 451);
  await farmer.raise(1);
  await runAfter(60);
  server.refused.delete(farmer.address);
  await runAfter(10);
  expect(mailsTo(farmer)).toHaveLength(0);
  await runAfter(120);
  expect(mailsTo(farmer)).toHaveLength(1);
});
