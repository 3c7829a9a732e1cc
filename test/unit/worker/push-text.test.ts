import { expect, test } from 'vitest';
import { sampleMessage } from '../../support/sample-message.ts';
import { encryptPush } from '../../../worker/notifications/send-push.ts';
import { writePush } from '../../../worker/notifications/push-text.ts';
import { SAMPLE_PUSH_KEYS } from '../../support/push-service.ts';

test('a notification of one alert has its field, its time and its text', () => {
  expect(writePush(sampleMessage({ organizationId: 'farm' }))).toEqual({
    title: 'Critical: Frost',
    body: expect.stringMatching(/^Long acre · Since Jan 10, 2027, 11:30\sPM · Below 2 °C\.$/),
    url: '/portal/farm/alerts',
  });
});

test('a notification of several alerts has their number, and what the first are', () => {
  const { alerts } = sampleMessage({});
  const { title, body } = writePush(
    sampleMessage({ alerts: [...alerts, ...alerts], alertCount: 1_200, language: 'de' }),
  );
  expect([title, body]).toEqual(['1.200 Warnungen für Meadow Farm', 'Kritisch: Frost · Kritisch: Frost']);
});

test('the longest texts fit into the 4,096 bytes that push services take', () => {
  const { alerts } = sampleMessage({}, '🌾'.repeat(5_000), '🌾'.repeat(5_000));
  const text = writePush(sampleMessage({ alerts, organizationId: '3f2504e0-4f89-41d3-9a0c-000000000035' }));
  expect(Array.from(text.title)).toHaveLength(120);
  expect(text.title.endsWith('🌾…')).toBe(true);
  const body = encryptPush(Buffer.from(JSON.stringify(text)), SAMPLE_PUSH_KEYS);
  expect(body.length).toBeLessThan(4_096);
});
