import { randomInt } from 'node:crypto';
import { test } from 'vitest';
import { expectFollowed } from '../support/followed-feed.ts';

/** Other sequences in each run; a failure prints the seed. */
const SEED = Number(process.env['PROPERTY_SEED'] ?? randomInt(1_000_000));
/** Against hanging forever: they take minutes on a busy machine. */
const MAX_MS = 1_800_000;

test(
  'whoever follows the feed has at each cursor what one has who reads anew: 100 sequences',
  async () => {
    await expectFollowed(100, SEED);
  },
  MAX_MS,
);
