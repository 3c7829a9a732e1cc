import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { runCommand } from '../../support/local-stack.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../../docs/performance.md'), 'utf8');

test('npm run bench has exactly the benchmarks that docs/performance.md names', async () => {
  const { exitCode, errors } = await runCommand(['bench', 'none'], inject('scratch'));
  expect(exitCode).toBe(2);
  const known = /usage: npm run bench -- (.*)/.exec(errors)?.[1]?.split(' | ');
  const named = [...PAGE.matchAll(/`npm run bench -- ([\w-]+)`/g)].map(([, name = '']) => name);
  expect(known?.toSorted()).toEqual(named.toSorted());
});
