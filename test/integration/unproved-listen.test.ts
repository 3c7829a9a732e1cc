import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { startTestApp } from '../support/test-app.ts';

const WARNING = 'notifications do not arrive';

async function startWith(settings: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  const intervals = vi.spyOn(globalThis, 'setInterval');
  onTestFinished(() => intervals.mockRestore());
  const app = await startTestApp({ settings, worker: false, onLog: (line) => lines.push(line) });
  onTestFinished(() => app.stop());
  return { lines, polls: intervals.mock.calls.map(([, everyMs]) => everyMs) };
}

test('a process that no notification reaches warns at start and polls faster', async () => {
  // Notifications stay within a database.
  const { lines, polls } = await startWith({ DATABASE_LISTEN_URL: inject('postgresUrl') });
  expect(lines.filter((line) => line.includes(WARNING))).toHaveLength(1);
  expect(polls.filter((everyMs) => everyMs === 200)).toHaveLength(2);
});

test('a process that notifications reach does not', async () => {
  const { lines, polls } = await startWith({});
  expect(lines.filter((line) => line.includes(WARNING))).toEqual([]);
  expect(polls).not.toContain(200);
});
