import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openStorage } from '../../../shared/storage/open-storage.ts';
import { MemoryStorage } from './memory-storage.ts';
import { testStorage } from '../../support/storage-contract.ts';

testStorage(() => Promise.resolve({ storage: new MemoryStorage(), unfinished: 'nothing' }));

test('docs/extending.md shows the make that the contract was tried with, of at most 60 lines', () => {
  const source = readFileSync('test/outer/extending/memory-storage.ts', 'utf8');
  expect(readFileSync('docs/extending.md', 'utf8')).toContain(`\`\`\`ts\n${source}\`\`\``);
  expect(source.split('\n').length).toBeLessThanOrEqual(60);
});

test('an unknown make is refused with the names of those that there are', async () => {
  const opening = openStorage({ storage: 'none', s3: null, dataDir: '.data' });
  await expect(opening).rejects.toThrow('STORAGE must be one of directory, s3');
});
