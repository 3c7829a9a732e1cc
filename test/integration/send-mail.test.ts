import { expect, onTestFinished, test } from 'vitest';
import { sendMail } from '../../worker/notifications/send-mail.ts';
import { startMailServer } from '../support/mail-server.ts';

test('a relay on this machine gets mails, though it offers STARTTLS with a certificate of its own', async () => {
  const { port, mails, stop } = await startMailServer();
  onTestFinished(stop);
  const from = 'alerts@service.example';
  const server = { host: '127.0.0.1', port, isSecure: false, credentials: null, from };
  const mail = { subject: 'Frost', text: 'Frost', html: '<p>Frost</p>' };
  const unsubscribe = 'https://modules.example.com/unsubscribe';
  const sent = await sendMail(server, { ...mail, to: 'fiona@farm.example', id: 'one', unsubscribe });
  expect([sent, mails]).toMatchObject([{ result: 'sent' }, [{ to: 'fiona@farm.example' }]]);
});
