import { test } from 'vitest';
import { expectFollowed } from '../support/followed-feed.ts';

/** The same sequences in each run; PROPERTY_SEED=N tries others, and `test/outer/feed-sequences/` more. */
const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_271_120);

test('whoever follows the feed has at each cursor what one has who reads anew, whatever happens', async () => {
  await expectFollowed(2, SEED);
});
