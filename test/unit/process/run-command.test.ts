import { readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { loadMigrationConfig } from '../../../shared/config/config.ts';
import { databaseProblem } from '../../../shared/db/database-problem.ts';
import { explained } from '../../../shared/process/run-command.ts';

const URL = 'postgres://pooler/x';
const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

afterEach(() => void vi.unstubAllEnvs());

test('a command does not explain an error of a file as one of the database', async () => {
  vi.stubEnv('DATABASE_URL', URL);
  const missing: unknown = await readFile('/nowhere/at/all').catch((error: unknown) => error);
  expect(explained(missing)).toBe(missing);
});

test('a command names the address and the setting with which it has connected', () => {
  vi.stubEnv('DATABASE_URL', URL);
  vi.stubEnv('DATABASE_LISTEN_URL', 'postgres://server/x');
  const refused = coded('connect ECONNREFUSED', 'ECONNREFUSED');
  expect(explained(refused)).toMatchObject({
    message: 'Nothing listens at postgres://pooler/x. Start the server, or correct DATABASE_URL.',
  });
  expect(explained(refused, loadMigrationConfig())).toMatchObject({
    message: 'Nothing listens at postgres://server/x. Start the server, or correct DATABASE_LISTEN_URL.',
  });
});

test.each([
  ['lock', '55P03'],
  ['statement', '57014'],
])('a statement that waited too long is no matter of firewalls: %s timeout', (kind, code) =>
  expect(databaseProblem(coded(`canceling statement due to ${kind} timeout`, code), URL)).toMatchObject({
    problem: `${URL}: canceling statement due to ${kind} timeout.`,
    advice:
      'Another session holds a lock, or the server is slow: end long transactions (pg_stat_activity), then repeat.',
  }),
);
