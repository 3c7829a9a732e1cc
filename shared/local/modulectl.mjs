#!/usr/bin/env node
// `npx modulectl` in a clone: runs the bundle of `npm run build:cli` and builds it first if a source is newer.
import { prepare } from './prepare.mjs';

// 2: nothing was validated.
prepare({ cli: true, failureCode: 2 });
// A URL, so that tools do not look for the bundle before it is built.
await import(new URL('../../dist/cli/modulectl.mjs', import.meta.url).href);
