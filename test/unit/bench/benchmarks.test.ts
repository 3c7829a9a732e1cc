import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The names in the first group of each match in a file. */
function namesIn(file: string, pattern: RegExp): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name = '']) => name).toSorted();
}

test('npm run bench has exactly the benchmarks that docs/performance.md names', () => {
  const known = namesIn('test/lab/bench/main.ts', /^ {2}'?([\w-]+)'?: bench\w+,$/gm);
  expect(known.length).toBeGreaterThan(10);
  expect(namesIn('docs/performance.md', /`npm run bench -- ([\w-]+)`/g)).toEqual(known);
});
