import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../shared/local/free-port.ts';
import { compileService } from '../../support/service-process.ts';

/** Each command, with what it cannot run without. */
const COMMANDS: readonly (readonly [command: string, ...args: string[]])[] = [
  ['shared/db/migrate-command'],
  ['worker/collect-command'],
  ['worker/purge-command', '--module', randomUUID(), '--yes'],
  ['worker/reconcile-command'],
  ['worker/reencrypt-command'],
];

interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a compiled command without a database. */
async function run(command: string, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['--no-warnings', `dist/${command}.js`, ...args], {
    env: {
      PATH: process.env['PATH'],
      LOG_LEVEL: 'silent',
      DATABASE_URL: `postgres://me:geheimwort@127.0.0.1:${await freePort()}/x`,
    },
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, output, errors };
}

beforeAll(compileService);

const WITH_USAGE: typeof COMMANDS = [...COMMANDS, ['shared/local/start']];

test.each(WITH_USAGE)('%s: --help prints the usage and does nothing', async (command) => {
  const { exitCode, output } = await run(command, '--help');
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^usage: npm (?:run|start)/)]);
});

test.each(WITH_USAGE)('%s: an unknown argument ends it with 2 and the usage', async (command) => {
  const { exitCode, errors } = await run(command, '--nonsense');
  expect([exitCode, errors]).toEqual([2, expect.stringContaining("Unknown option '--nonsense'")]);
  expect(errors).toMatch(/^usage: npm (?:run|start)/m);
});

test.each(COMMANDS)(
  '%s: without a database one line says what to do, without the password',
  async (command, ...args) => {
    const { exitCode, errors } = await run(command, ...args);
    expect(exitCode).toBe(1);
    expect(errors).toMatch(
      /^Nothing listens at postgres:\/\/127\.0\.0\.1:\d+\/x\. Start the server, or correct DATABASE_URL\.\n$/,
    );
  },
);
