import { randomInt } from 'node:crypto';
import { test } from 'vitest';
import { expectFollowed } from './followed-feed.ts';

/** Half of 100 sequences: two files run side by side. */
const SEQUENCES = 50;
/** Against hanging forever: they take minutes on a busy machine. */
const MAX_MS = 1_800_000;

/** Other sequences in each run; a failure prints the seed. */
export function testFeedSequences(): void {
  const seed = Number(process.env['PROPERTY_SEED'] ?? randomInt(1_000_000));
  test(
    `whoever follows the feed has at each cursor what one has who reads anew: ${SEQUENCES} sequences`,
    async () => {
      await expectFollowed(SEQUENCES, seed);
    },
    MAX_MS,
  );
}
