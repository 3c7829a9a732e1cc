#!/usr/bin/env node
// `npx modulectl` in a clone: the bundle that `npm run build:cli` makes, built first where a source is newer.
import { prepare } from './prepare.mjs';

// 2: nothing was validated.
prepare({ cli: true, failureCode: 2 });
// A URL, so that no tool looks for the bundle where it is not built yet.
await import(new URL('../../dist/cli/modulectl.mjs', import.meta.url).href);
