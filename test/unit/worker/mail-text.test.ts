import { expect, test } from 'vitest';
import type { ClaimedMail } from '../../../shared/db/notifications/alert-mails.ts';
import { writeMail } from '../../../worker/notifications/mail-text.ts';

const LINKS = { alerts: 'https://service.example/alerts', unsubscribe: 'https://service.example/end' };

const mailOf = (members: Partial<ClaimedMail>, title = 'Frost', targetName = 'Long acre'): ClaimedMail => ({
  ...{ settingsId: '', claimId: '', address: '', linkSecret: '', organizationId: '' },
  ...{ language: 'en', timeZone: 'Europe/Berlin', organizationName: 'Meadow Farm', alertCount: 1 },
  ...{ severities: ['critical'], positions: { info: '', warning: '', critical: '' } },
  ...{ isImmediate: true, isDigest: false },
  alerts: [
    {
      ...{ id: '', severity: 'critical', status: 'firing', title, message: 'Below 2 °C.', targetName },
      startsAt: new Date('2027-01-10T22:30:00Z'),
    },
  ],
  ...members,
});

test('a mail has the field and the time of the person', () => {
  const { subject, text } = writeMail(mailOf({}), LINKS);
  expect(subject).toBe('Critical: Frost');
  expect(text).toContain('Long acre · Since Jan 10, 2027, 11:30');
  expect(text).toContain('Show the alerts: https://service.example/alerts');
});

test('a mail is in the language of the person', () => {
  const { subject, text } = writeMail(mailOf({ language: 'de', alertCount: 1_200 }), LINKS);
  expect(subject).toBe('1.200 Warnungen für Meadow Farm');
  expect(text).toContain('Und 1.199 weitere Warnungen.');
});

test.each(['a\r\nBcc: you@example.com', 'a\nb', 'a\u2028b', 'a\tb'])(
  'a subject has no line break: %j',
  (title) => {
    expect(writeMail(mailOf({}, title), LINKS).subject).toMatch(/^Critical: a [^\p{Cc}\p{Zl}]+$/u);
  },
);

test('what others have named is escaped in HTML', () => {
  const organizationName = '"><script>1</script>';
  const { html } = writeMail(mailOf({ organizationName }, '<img src=x>', "<b id='x'>"), LINKS);
  expect(html).not.toMatch(/<script|<img|<b /);
});
