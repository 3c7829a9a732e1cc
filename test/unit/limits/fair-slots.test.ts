import { describe, expect, test } from 'vitest';
import { FairSlots, NoSlotError } from '../../../shared/limits/fair-slots.ts';

/** The refusal of an attempt to take slots. */
async function refusalOf(taking: () => unknown): Promise<NoSlotError> {
  try {
    await taking();
  } catch (error) {
    if (error instanceof NoSlotError) return error;
    throw error;
  }
  throw new Error('slots were given');
}

describe('nobody waits', () => {
  const uploads = { resource: 'uploads', max: 3, maxPerOwner: 2 };

  test('an owner uses up its own part only', async () => {
    const slots = new FairSlots(uploads);
    slots.takeNow('a');
    slots.takeNow('a');
    expect(await refusalOf(() => slots.takeNow('a'))).toMatchObject({ usedUpBy: 'owner', max: 2 });
    slots.takeNow('b');
    expect(await refusalOf(() => slots.takeNow('b'))).toMatchObject({ usedUpBy: 'process', max: 3 });
  });

  test('a freed slot is free once, however often it is freed', () => {
    const slots = new FairSlots(uploads);
    const free = slots.takeNow('a');
    slots.takeNow('a');
    free();
    free();
    expect(slots.taken()).toBe(1);
  });

  test('a taker of more than there is takes all, alone', async () => {
    const slots = new FairSlots({ resource: 'bytes', max: 10, maxPerOwner: 10 });
    const free = slots.takeNow('a', 50);
    expect(await refusalOf(() => slots.takeNow('b'))).toMatchObject({ usedUpBy: 'process' });
    free();
    expect(slots.taken()).toBe(0);
    slots.takeNow('b');
  });
});

describe('an owner has as many slots as are free', () => {
  const connections = { resource: 'connections', max: 10, maxWaitingPerOwner: 100, maxWaitMs: 60_000 };

  /** Lets each of these owners want all slots, in turns; returns how many each has. */
  function takeAll(owners: readonly string[]) {
    const slots = new FairSlots(connections);
    const waiting = owners.flatMap((owner) => Array.from({ length: 10 }, () => slots.take(owner)));
    // What they give back is shared anew.
    for (const taking of waiting) void taking.then((free) => setImmediate(free));
    return { slots, waiting, taken: owners.map((owner) => slots.takenBy(owner)) };
  }

  test.for([
    [['a'], [5]],
    [
      ['a', 'b'],
      [5, 3],
    ],
    [
      ['a', 'b', 'c'],
      [5, 3, 1],
    ],
  ] as const)('%j have %j at first, and one is left', async ([owners, expected]) => {
    const { slots, waiting, taken } = takeAll(owners);
    expect(taken).toEqual(expected);
    expect(slots.taken()).toBeLessThan(10);
    (await slots.take('another'))();
    await Promise.all(waiting);
  });

  test('an owner that may have no more gets the number that it has, and one without any reads that all are taken', async () => {
    const slots = new FairSlots({ ...connections, max: 2 });
    slots.takeNow('a');
    expect(await refusalOf(() => slots.takeNow('a'))).toMatchObject({ usedUpBy: 'owner', max: 1 });
    slots.takeNow('b');
    expect(await refusalOf(() => slots.takeNow('c'))).toMatchObject({ usedUpBy: 'process', max: 2 });
  });

  test('an owner that had more gives it up to those that came later', async () => {
    const slots = new FairSlots(connections);
    const frees = await Promise.all(Array.from({ length: 5 }, () => slots.take('a')));
    const others = ['b', 'b', 'b', 'c', 'c', 'c', 'a', 'a', 'a'].map((owner) => slots.take(owner));
    for (const free of frees.slice(0, 4)) free();
    await Promise.resolve();
    expect(['a', 'b', 'c'].map((owner) => slots.takenBy(owner))).toEqual([2, 3, 3]);
    void Promise.allSettled(others);
  });
});

describe('takers wait', () => {
  const connections = {
    resource: 'connections',
    max: 2,
    maxPerOwner: 1,
    maxWaitingPerOwner: 100,
    maxWaitMs: 60_000,
  };

  test('one owner with many takers delays another by none of its own part', async () => {
    const slots = new FairSlots(connections);
    await slots.take('a');
    const waiting = Array.from({ length: 50 }, () => slots.take('a'));
    await slots.take('b');
    expect(slots.taken()).toBe(2);
    void Promise.allSettled(waiting);
  });

  test('owners have their turns one after the other', async () => {
    const slots = new FairSlots({ ...connections, max: 1 });
    const order: string[] = [];
    const use = async (owner: string) => {
      const free = await slots.take(owner);
      order.push(owner);
      free();
    };
    const free = await slots.take('x');
    const uses = ['a', 'a', 'a', 'b', 'b', 'c'].map(use);
    free();
    await Promise.all(uses);
    expect(order.join('')).toBe('abcaba');
    expect(slots.taken()).toBe(0);
  });

  test('a large taker is not overtaken for ever by small ones', async () => {
    const slots = new FairSlots({ ...connections, max: 4, maxPerOwner: 4 });
    const freeA = await slots.take('a');
    const freeB = await slots.take('b', 2);
    const order: string[] = [];
    const large = slots.take('c', 4).then((free) => {
      order.push('large');
      free();
    });
    const small = slots.take('b').then(() => order.push('small'));
    freeB();
    freeA();
    await Promise.all([large, small]);
    expect(order).toEqual(['large', 'small']);
  });

  test('an owner whose part is used up does not keep the others from free slots', async () => {
    const slots = new FairSlots(connections);
    await slots.take('a');
    const waiting = slots.take('a');
    (await slots.take('b'))();
    (await slots.take('c'))();
    expect(slots.taken()).toBe(1);
    void waiting.catch(() => undefined);
  });

  test('a taker beyond the most that wait is refused at once, one that waits too long after that time', async () => {
    const slots = new FairSlots({ ...connections, maxWaitingPerOwner: 1, maxWaitMs: 5 });
    await slots.take('a');
    const waiting = refusalOf(() => slots.take('a'));
    expect(await refusalOf(() => slots.take('a'))).toMatchObject({ usedUpBy: 'owner' });
    expect(await waiting).toMatchObject({ usedUpBy: 'owner', max: 1 });
    expect(slots.taken()).toBe(1);
  });
});
