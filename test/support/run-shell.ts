import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { inject, onTestFinished } from 'vitest';
import { findProgram } from './find-program.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CURL = path.join(import.meta.dirname, 'curl.mjs');

/** Runs a shell script in the root, as a reader pastes it; a machine without curl gets the replacement for Node. */
export async function runShell(script: string, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const env = { ...process.env, PATH: await pathWithCurl(), ...environment };
  const { stdout } = await promisify(execFile)('sh', ['-ec', script], { cwd: ROOT, env });
  return stdout;
}

async function pathWithCurl(): Promise<string> {
  const own = process.env['PATH'] ?? '';
  if (findProgram('curl') !== null) return own;
  const folder = await mkdtemp(path.join(inject('scratch'), 'curl-'));
  const script = `#!/bin/sh\nexec '${process.execPath}' '${CURL}' "$@"\n`;
  await writeFile(path.join(folder, 'curl'), script, { mode: 0o755 });
  return `${folder}${path.delimiter}${own}`;
}

/** Runs the commands as a reader pastes them, until the test ends. */
export function runCommands(
  environment: NodeJS.ProcessEnv,
  script: string,
): { outputs(text: string): Promise<void> } {
  const env = { PATH: process.env['PATH'], ...environment };
  const shell = spawn('sh', ['-ec', script], { cwd: ROOT, env, detached: true });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      shell.emit('output');
    });
  onTestFinished(() => {
    // The shell, the back end and the command.
    if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGTERM');
  });
  return {
    /** Resolves when the commands have output this. @throws Error where they end before */
    async outputs(text) {
      const ended = once(shell, 'close').then(() => {
        throw new Error(`the commands ended: ${output}`);
      });
      // When the test ends, so do the commands.
      ended.catch(() => undefined);
      while (!output.includes(text)) await Promise.race([once(shell, 'output'), ended]);
    },
  };
}
