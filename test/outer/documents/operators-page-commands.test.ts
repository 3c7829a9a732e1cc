import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellBlocks } from '../../support/page-blocks.ts';

test.each(shellBlocks('docs/operators.md'))('the shell accepts: %s', (block) => {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: block, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

test.each([
  ['--help', 0, ''],
  ['worker/nonsense', 2, 'There is no command worker/nonsense.\n'],
])('module-import %s prints the usage', (argument, exitCode, problem) => {
  const ended = spawnSync('docs/deployment/run-command', [argument], { encoding: 'utf8' });
  const usage = exitCode === 0 ? ended.stdout : ended.stderr;
  expect([ended.status, usage]).toEqual([exitCode, expect.stringContaining('usage: module-import ')]);
  expect(ended.stderr.startsWith(problem)).toBe(true);
});
