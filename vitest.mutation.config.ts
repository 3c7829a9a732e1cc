import { defineConfig } from 'vitest/config';

/** `MUTATION_TESTS=archive` runs the tests of archives alone. */
const folder = process.env['MUTATION_TESTS'] ?? '';

/** What a mutation run tests with: the rules of packages alone, without the fuzzers and the slowest tests. */
export default defineConfig({
  test: {
    include: [`test/unit/package/${folder}/**/*.test.ts`],
    exclude: ['test/unit/package/archive/fuzz.test.ts'],
    setupFiles: ['test/support/skip-slow-tests.ts'],
    // One worker for all files of a run: loading the modules again takes longer than most tests.
    isolate: false,
    testTimeout: 60_000,
  },
});
