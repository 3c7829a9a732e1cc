#!/usr/bin/env node
// The vendor's command line. It works on a fresh clone: what is missing is installed and compiled first.
import process from 'node:process';
import { prepare } from '../local/prepare.mjs';

// The process ends by itself, so that what is written reaches a pipe; a reader that has gone wants no more.
process.stdout.on('error', () => process.exit());
// An exit, and not the signal's own end: temporary files are removed on the way.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

// 2: nothing was judged.
prepare({ compiled: true, failureCode: 2 });
const { runModulectl } = await import('../../dist/shared/cli/main.js');
const { readEnvironment } = await import('../../dist/shared/cli/environment.js');
process.exitCode = await runModulectl(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: readEnvironment(),
});
