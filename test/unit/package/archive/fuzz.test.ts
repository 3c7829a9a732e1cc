import { expect, test } from 'vitest';
import { mutantsOf, readMutants } from './read-mutants.ts';

const mutants = mutantsOf(process.env);

test(`${mutants.count} mutants of good archives, seed ${mutants.seed}, end in a report or are read`, async () => {
  let accepted = 0;
  for await (const { id, reading } of readMutants(mutants)) {
    if (reading.problems.length === 0) accepted += 1;
    for (const problem of reading.problems) {
      expect(problem.code, `mutant ${id}`).toMatch(/^archive-/);
      expect(problem.detail.length, `mutant ${id}`).toBeGreaterThan(20);
    }
  }
  expect(accepted).toBeGreaterThan(0);
});
