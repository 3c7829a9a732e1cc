import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DeadlineExceededError, Deadlines } from '../../../worker/deadlines.ts';

const SETTINGS = { stepSeconds: 600, importSeconds: 3_600 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test('a clock that steps forward ends no import', async () => {
  const deadlines = new Deadlines(SETTINGS, 0);
  vi.setSystemTime(Date.now() + 26 * 3_600_000);
  expect(await deadlines.within('checking', () => Promise.resolve('done'))).toBe('done');
});

test('an import whose first attempt started too long ago is ended before its next step', async () => {
  const deadlines = new Deadlines(SETTINGS, 3_600_001);
  const late = deadlines.within('checking', () => Promise.resolve('done'));
  await expect(late).rejects.toThrow(DeadlineExceededError);
  await expect(late).rejects.toMatchObject({ isFinal: true });
});
