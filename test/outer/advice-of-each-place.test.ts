import { test } from 'vitest';
import { followAdvice } from '../support/advice/follow-advice.ts';
import { INVALID_VALUES, packagesWithInvalidValue } from '../support/advice/invalid-values.ts';

// test/unit/package/advice.test.ts has the values in many places at once.
test.each(INVALID_VALUES)(
  'who does literally what a problem says gets rid of every error: a value that is %s, in one place alone',
  async (_, value) => {
    for (const entries of packagesWithInvalidValue(value)) await followAdvice(entries);
  },
);
