import { expect, test } from 'vitest';
import { simulate } from './simulate.ts';

/** Half of 5,000 seeds: the two files run side by side. */
const FIRST_SEEDS = [2_500, 3_750];
const SEEDS = 1_250;

test.each(FIRST_SEEDS)(
  'every guarantee of the import protocol holds for 1,250 seeds from %i',
  async (first) => {
    let imports = 0;
    for (let seed = first; seed < first + SEEDS; seed += 1) {
      const { broken, ...simulation } = await simulate(seed);
      expect(broken, `To see it: npm run simulate -- --seed ${seed}`).toBeNull();
      imports += simulation.imports;
    }
    // Guarantees about imports hold where nothing is imported.
    expect(imports).toBeGreaterThan(SEEDS);
  },
);
