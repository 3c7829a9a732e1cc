import { expect, test } from 'vitest';
import { sampleMessage } from '../../support/sample-message.ts';
import { writeMail } from '../../../worker/notifications/mail-text.ts';

const LINKS = { alerts: 'https://service.example/alerts', unsubscribe: 'https://service.example/end' };

test('a mail has the field and the time of the person', () => {
  const { subject, text } = writeMail(sampleMessage({}), LINKS);
  expect(subject).toBe('Critical: Frost');
  expect(text).toContain('Long acre · Since Jan 10, 2027, 11:30');
  expect(text).toContain('Show the alerts: https://service.example/alerts');
});

test('a mail is in the language of the person', () => {
  const { subject, text } = writeMail(sampleMessage({ language: 'de', alertCount: 1_200 }), LINKS);
  expect(subject).toBe('1.200 Warnungen für Meadow Farm');
  expect(text).toContain('Und 1.199 weitere Warnungen.');
});

test.each(['a\r\nBcc: you@example.com', 'a\nb', 'a\u2028b', 'a\tb'])(
  'a subject has no line break: %j',
  (title) => {
    expect(writeMail(sampleMessage({}, title), LINKS).subject).toMatch(/^Critical: a [^\p{Cc}\p{Zl}]+$/u);
  },
);

test('what others have named is escaped in HTML', () => {
  const organizationName = '"><script>1</script>';
  const { html } = writeMail(sampleMessage({ organizationName }, '<img src=x>', "<b id='x'>"), LINKS);
  expect(html).not.toMatch(/<script|<img|<b /);
});
