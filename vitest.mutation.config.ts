import { defineConfig } from 'vitest/config';

/** What a mutation run tests with: the rules of packages alone, without the fuzzers. */
export default defineConfig({
  test: {
    include: ['test/unit/package/**/*.test.ts', 'test/unit/zip/**/*.test.ts'],
    exclude: ['test/unit/zip/fuzz.test.ts'],
    testTimeout: 60_000,
  },
});
