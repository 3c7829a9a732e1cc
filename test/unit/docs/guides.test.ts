import path from 'node:path';
import { expect, test } from 'vitest';
import { GUIDES } from '../../../api/documents/guide-pages.ts';
import { guideOf } from '../../support/guide-pages.ts';

const GUIDES_FILE = path.resolve(import.meta.dirname, '../../../api/documents/guides.json');

test('the server shows docs/package.md and docs/backends.md as they are', async () => {
  const guides = { package: await guideOf('package'), backends: await guideOf('backends') };
  await expect(`${JSON.stringify(guides, null, 2)}\n`).toMatchFileSnapshot(GUIDES_FILE);
});

test('each link within a page leads to a heading of the page', () => {
  for (const { lines } of Object.values(GUIDES)) {
    const html = lines.join('\n');
    const anchors = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id);
    expect(anchors.filter((id) => !html.includes(`id="${id}"`))).toEqual([]);
  }
});
