import { defineConfig } from 'vitest/config';

/** `MUTATION_TESTS=zip` or `=package` leaves the other folder's tests out, which take longest and kill little more. */
const folder = process.env['MUTATION_TESTS'] ?? '{package,zip}';

/** What a mutation run tests with: the rules of packages alone, without the fuzzers and the slowest tests. */
export default defineConfig({
  test: {
    include: [`test/unit/${folder}/**/*.test.ts`],
    exclude: ['test/unit/zip/fuzz.test.ts'],
    setupFiles: ['test/support/skip-slow-tests.ts'],
    // One worker for all files of a run: loading the modules again takes longer than most tests.
    isolate: false,
    testTimeout: 60_000,
  },
});
