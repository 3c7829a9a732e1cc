import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CHANGE_TYPES } from '../../../shared/db/changes/change-types.ts';
import { sampleChange, SAMPLE_TYPES } from '../../../shared/webhooks/sample-changes.ts';
import { TEST_TYPE, webhookBody } from '../../../shared/webhooks/webhook-call.ts';
import { DOCUMENTED_EVENTS, undocumentedCall } from '../../support/documented-event.ts';

const TYPES = Object.keys(CHANGE_TYPES);
const DATABASE = path.resolve(import.meta.dirname, '../../../shared/db');

const bodyOf = (type: string, change: object = {}) => {
  const sample = sampleChange(type);
  if (sample === null) throw new Error(`there is no sample of ${type}`);
  return webhookBody({ ...sample, ...change });
};

test('the document has every type of change and the test event, and no other event', () => {
  expect(DOCUMENTED_EVENTS.toSorted()).toEqual([...TYPES, TEST_TYPE].toSorted());
  expect(SAMPLE_TYPES.toSorted()).toEqual(TYPES.toSorted());
});

test('every documented change is recorded by a statement or a call of the service', () => {
  const files = readdirSync(DATABASE, { recursive: true, encoding: 'utf8' });
  const sources = files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('change-types.ts'))
    .map((file) => readFileSync(path.join(DATABASE, file), 'utf8'))
    .join('\n');
  expect(TYPES.filter((type) => !sources.includes(`'${type}'`))).toEqual([]);
});

test.each(TYPES)(
  'a sample of %s is as documented, and neither with another member nor without one',
  (type) => {
    expect(undocumentedCall(bodyOf(type))).toEqual([]);
    expect(undocumentedCall(bodyOf(type, { more: 1 })).join()).toContain('additional properties');
    const { data, ...event } = JSON.parse(bodyOf(type)) as { data: Record<string, unknown> };
    for (const name of Object.keys(data)) {
      const without = JSON.stringify({ ...event, data: { ...data, [name]: undefined } });
      expect(undocumentedCall(without), name).not.toEqual([]);
    }
  },
);

test('an event that the document lacks, and one whose data is of another type, are not as documented', () => {
  const body = bodyOf('rule.created');
  expect(undocumentedCall(body.replaceAll('rule.created', 'rule.painted')).join()).toContain(
    'not documented',
  );
  expect(undocumentedCall(body.replace('rule.created', 'rule.deleted'))).not.toEqual([]);
});
