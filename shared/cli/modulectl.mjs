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
// Not there before the line above: no tool that looks for imports need find it.
const compiled = new URL('../../dist/shared/cli/', import.meta.url);
const { runModulectl } = await import(new URL('main.js', compiled).href);
const { readEnvironment } = await import(new URL('environment.js', compiled).href);
process.exitCode = await runModulectl(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: readEnvironment(),
});
