import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../shared/local/free-port.ts';

export interface EndedCommand {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a compiled command of operators, and nothing listens where its database should be. */
export async function runWithoutDatabase(command: string, ...args: readonly string[]): Promise<EndedCommand> {
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
