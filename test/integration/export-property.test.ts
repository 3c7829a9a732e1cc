import { test } from 'vitest';
import { expectTravels } from '../support/travelling-modules.ts';

/** The same modules in each run; PROPERTY_SEED=N tries others, and `test/outer/archives/` more. */
const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_271_120);

test('import(export(m)) = m for generated modules, here and in another deployment', async () => {
  await expectTravels(4, SEED);
});
