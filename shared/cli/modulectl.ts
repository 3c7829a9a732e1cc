#!/usr/bin/env node
import process from 'node:process';
import { EXIT, reasonOf } from './exit-codes.ts';
import { runModulectl } from './main.ts';
import { readEnvironment } from './settings.ts';

// The process ends by itself, so that all output reaches a pipe. It exits when the reader of its output does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`modulectl: Cannot write the output: ${reasonOf(error)}.\n`);
  process.exit(EXIT.couldNotRun);
});
// Without a reader messages are lost, but the command ends with its own exit code.
process.stderr.on('error', () => undefined);
// Exits instead of ending by the signal, so that temporary files are removed.
process.on('SIGHUP', () => process.exit(129));
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

process.exitCode = await runModulectl(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: readEnvironment(),
});
