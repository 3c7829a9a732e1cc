import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FairTurns } from '../../../shared/limits/fair-turns.ts';

/** Lets an owner start this number of pieces of work; returns the owners of started work, in order. */
function start(turns: FairTurns, owners: readonly string[]): readonly string[] {
  const started: string[] = [];
  for (const owner of owners)
    void turns.awaitTurn(owner).then(() => {
      started.push(owner);
    });
  return started;
}

const many = Array.from({ length: 20 }, () => 'a');

test('an owner that is alone starts everything at once', async () => {
  const started = start(new FairTurns(), many);
  await Promise.resolve();
  expect(started).toEqual(many);
});

test('beside others, each owner starts one piece of work in each turn of the event loop', async () => {
  const turns = new FairTurns();
  await turns.awaitTurn('b');
  const started = start(turns, [...many, 'b', 'c']);
  await setImmediate();
  await setImmediate();
  expect(started.slice(0, 3).toSorted()).toEqual(['a', 'b', 'c']);
  expect(started.length).toBeLessThan(10);
  await expect.poll(() => started.length).toBe(22);
});

test('an owner whose others have been silent for seconds is alone again', async () => {
  const turns = new FairTurns();
  await turns.awaitTurn('b');
  await setTimeout(2_100);
  await turns.awaitTurn('a');
  const started = start(turns, many);
  await Promise.resolve();
  expect(started).toEqual(many);
});
