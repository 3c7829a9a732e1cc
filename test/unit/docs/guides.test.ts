import path from 'node:path';
import { expect, test } from 'vitest';
import { GUIDE_NAMES, GUIDES, type Guide } from '../../../api/documents/guide-pages.ts';
import { guideOf } from '../../support/guide-pages.ts';

const GUIDES_FILE = path.resolve(import.meta.dirname, '../../../api/documents/guides.json');

test('the server shows the guides in docs/ as they are', async () => {
  const guides: Record<string, Guide> = {};
  for (const name of GUIDE_NAMES) guides[name] = await guideOf(name);
  await expect(`${JSON.stringify(guides, null, 2)}\n`).toMatchFileSnapshot(GUIDES_FILE);
});

test('each npx of a guide runs only what is installed: the name of a command may be a stranger’s package', () => {
  for (const { lines } of Object.values(GUIDES))
    expect(lines.filter((line) => /\bnpx (?!--no-install\b)/.test(line))).toEqual([]);
});

test('each link within a page leads to a heading of the page', () => {
  for (const { lines } of Object.values(GUIDES)) {
    const html = lines.join('\n');
    const anchors = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id);
    expect(anchors.filter((id) => !html.includes(`id="${id}"`))).toEqual([]);
  }
});
