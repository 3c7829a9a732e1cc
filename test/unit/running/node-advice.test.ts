import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nodeAdvice } from '../../../shared/local/prepare.mjs';

test.each(['20.19.0', '20.20.2', '21.7.3', '23.11.0'])(
  'on Node %s one line names the supported versions',
  (version) => {
    const major = version.slice(0, 2);
    expect(nodeAdvice(version)).toBe(
      `Node ${major} is past its end and gets no security fixes: Node 22 and 24 are supported.`,
    );
  },
);

test.each(['22.0.0', '24.1.0'])('Node %s gets no advice, and the README names it', (version) => {
  expect(nodeAdvice(version)).toBeNull();
  expect(readFileSync('README.md', 'utf8')).toMatch(new RegExp(`You need Node [^.]*${version.slice(0, 2)}`));
});
