import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { runWithoutDatabase } from '../support/run-without-database.ts';
import { compileService } from '../support/service-process.ts';

/** They share `runCommand`: `test/outer/processes/` runs each of them. */
const COMMAND = 'worker/collect-command';

beforeAll(compileService);

test('--help prints the usage and does nothing', async () => {
  const { exitCode, output } = await runWithoutDatabase(COMMAND, '--help');
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^usage: npm run/)]);
});

test('an unknown argument ends a command with 2 and the usage', async () => {
  const { exitCode, errors } = await runWithoutDatabase(COMMAND, '--nonsense');
  expect([exitCode, errors]).toEqual([2, expect.stringContaining("Unknown option '--nonsense'")]);
  expect(errors).toMatch(/^usage: npm run/m);
});

test('without a database one line says what to do, without the password', async () => {
  const { exitCode, errors } = await runWithoutDatabase(COMMAND);
  expect(exitCode).toBe(1);
  expect(errors).toMatch(
    /^Nothing listens at postgres:\/\/127\.0\.0\.1:\d+\/x\. Start the server, or correct DATABASE_URL\.\n$/,
  );
});

test.each([
  ['nothing to purge', []],
  ['no confirmation', ['--module', randomUUID()]],
  ['an organization besides', ['--module', randomUUID(), '--organization', randomUUID(), '--yes']],
  ['a name in place of an ID', ['--organization', 'Vera', '--yes']],
])('purge with %s deletes nothing and prints the usage', async (_what, args) => {
  const { exitCode, errors } = await runWithoutDatabase('worker/purge-command', ...args);
  expect([exitCode, errors]).toEqual([
    2,
    expect.stringMatching(/^usage: npm run purge -- --module ID --yes\n/),
  ]);
});
