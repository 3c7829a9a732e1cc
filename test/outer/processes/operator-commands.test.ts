import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { runWithoutDatabase } from '../../support/run-without-database.ts';
import { compileService } from '../../support/service-process.ts';

/** Each command, with what it cannot run without. */
const COMMANDS: readonly (readonly [command: string, ...args: string[]])[] = [
  ['shared/db/migrate-command'],
  ['worker/collect-command'],
  ['worker/purge-command', '--module', randomUUID(), '--yes'],
  ['worker/reconcile-command'],
  ['worker/reencrypt-command'],
];

beforeAll(compileService);

const WITH_USAGE: typeof COMMANDS = [...COMMANDS, ['shared/local/start']];

test.each(WITH_USAGE)('%s: --help prints the usage and does nothing', async (command) => {
  const { exitCode, output } = await runWithoutDatabase(command, '--help');
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^usage: npm (?:run|start)/)]);
});

test.each(WITH_USAGE)('%s: an unknown argument ends it with 2 and the usage', async (command) => {
  const { exitCode, errors } = await runWithoutDatabase(command, '--nonsense');
  expect([exitCode, errors]).toEqual([2, expect.stringContaining("Unknown option '--nonsense'")]);
  expect(errors).toMatch(/^usage: npm (?:run|start)/m);
});

test.each(COMMANDS)(
  '%s: without a database one line says what to do, without the password',
  async (command, ...args) => {
    const { exitCode, errors } = await runWithoutDatabase(command, ...args);
    expect(exitCode).toBe(1);
    expect(errors).toMatch(
      /^Nothing listens at postgres:\/\/127\.0\.0\.1:\d+\/x\. Start the server, or correct DATABASE_URL\.\n$/,
    );
  },
);

test('purge of what is not confirmed deletes nothing and prints the usage', async () => {
  const { exitCode, errors } = await runWithoutDatabase('worker/purge-command', '--module', randomUUID());
  expect([exitCode, errors]).toEqual([
    2,
    expect.stringMatching(/^usage: npm run purge -- --module ID --yes\n/),
  ]);
});
