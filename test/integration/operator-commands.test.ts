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
