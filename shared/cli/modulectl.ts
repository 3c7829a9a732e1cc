#!/usr/bin/env node
import process from 'node:process';
import { runModulectl } from './main.ts';
import { readEnvironment } from './settings.ts';

// The process ends by itself, so that all output reaches a pipe. A reader that has gone wants no more of it.
process.stdout.on('error', () => process.exit());
// An exit, and not the signal's own end: temporary files are removed on the way.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

process.exitCode = await runModulectl(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: readEnvironment(),
});
