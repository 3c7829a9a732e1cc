import { test } from 'vitest';
import { expectTravels } from '../../support/travelling-modules.ts';

/** The same modules in each run; PROPERTY_SEED=N tries others, and PROPERTY_RUNS=N that number. */
const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_271_121);
const MODULES = Number(process.env['PROPERTY_RUNS'] ?? 40);

test('import(export(m)) = m for many generated modules, here and in another deployment', async () => {
  await expectTravels(MODULES, SEED);
}, 600_000);
