import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { Pacer } from '../../../../shared/package/archive/pacer.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('a turn is due after more than 4 ms of work since the last turn', async () => {
  let nowMs = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const pacer = new Pacer();
  nowMs = 1004;
  expect(pacer.isDue).toBe(false);
  nowMs = 1004.5;
  expect(pacer.isDue).toBe(true);
  await pacer.turn();
  expect(pacer.isDue).toBe(false);
  nowMs = 1009;
  expect(pacer.isDue).toBe(true);
});

test('waiting events are handled in a turn', async () => {
  const handled = vi.fn();
  setImmediate(handled);
  await Promise.resolve();
  expect(handled).not.toHaveBeenCalled();
  await new Pacer().turn();
  expect(handled).toHaveBeenCalled();
});

test('work that waits goes on in order, one piece in each turn', async () => {
  const order: string[] = [];
  const waiting = ['a', 'b', 'c'].map(async (name) => {
    await new Pacer().turn();
    order.push(name);
  });
  const others = async () => {
    while (order.length < 5) {
      await nextTurn();
      order.push('others');
    }
  };
  await Promise.all([...waiting, others()]);
  expect(order).toEqual(['a', 'others', 'b', 'others', 'c', 'others']);
});

test('work on many items leaves turns for others, on a few it does not', async () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 5));
  const turns = async (items: number) => {
    let count = 0;
    const turn = () => {
      count += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    let done = 0;
    await new Pacer().forEach(new Array(items).keys(), (index) => (done += index));
    clearImmediate(next);
    expect(done).toBe((items * (items - 1)) / 2);
    return count;
  };
  expect(await turns(7)).toBe(0);
  expect(await turns(80)).toBeGreaterThanOrEqual(10);
});

test('a sort of thousands of items leaves turns for others', async () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 5));
  const turn = vi.spyOn(Pacer.prototype, 'turn');
  await new Pacer().sort([...new Array(5_000).keys()], (a, b) => a - b);
  expect(turn.mock.calls.length).toBeGreaterThanOrEqual(5);
});

test('items are sorted as an array sorts them, equal ones in their order', async () => {
  const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
  for (const length of [0, 1, 1_024, 1_025, 5_000]) {
    for (const keyOf of [(at: number) => at, (at: number) => -at, (at: number) => (at * 7_919) % 97]) {
      const items = Array.from({ length }, (_, at) => ({ key: keyOf(at), at }));
      expect(await new Pacer().sort(items, compare)).toEqual(items.toSorted(compare));
    }
  }
});
