import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
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
