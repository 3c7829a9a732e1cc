import { createHash } from 'node:crypto';
import AdmZip from 'adm-zip';
import { expect, test } from 'vitest';
import { largePackage, smallPackage } from '../../lab/bench/import/packages.ts';

function contentsOf(zip: Buffer): string[] {
  const entries = new AdmZip(zip).getEntries();
  return entries.map((entry) => createHash('sha256').update(entry.getData()).digest('hex'));
}

test('no two files of small packages have the same bytes, in one package or in two', () => {
  const zips = [smallPackage(), smallPackage()];
  expect(new Set(zips.flatMap(contentsOf)).size).toBe(20);
  for (const zip of zips) expect(Math.abs(zip.length - 20_000)).toBeLessThan(2_000);
});

test('no two files of large packages have the same bytes; there are 200 files and the descriptor', () => {
  const zips = [largePackage(1e6), largePackage(1e6)];
  expect(new Set(zips.flatMap(contentsOf)).size).toBe(402);
});
