import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { packagePage } from '../../support/package-page.ts';

const PAGE = path.resolve(import.meta.dirname, '../../../docs/package.md');

test('docs/package.md has the rules, limits and examples that the service uses', async () => {
  const options = await resolveConfig(PAGE);
  await expect(await format(packagePage(), { ...options, filepath: PAGE })).toMatchFileSnapshot(PAGE);
});
