import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BatchedReads, SharedReads } from '../../../api/http/limits/shared-reads.ts';

/** Reads that end when the test ends them. */
function controlledReads() {
  const ends: ((result: string) => void)[] = [];
  const act = () =>
    new Promise<string>((resolve) => {
      ends.push(resolve);
    });
  return { ends, act };
}

test('requests of one turn of the event loop share a read', async () => {
  const { ends, act } = controlledReads();
  const reads = new SharedReads<string>();
  const results = Promise.all([reads.read('a', act), reads.read('a', act)]);
  await nextTurn();
  await nextTurn();
  expect(ends).toHaveLength(1);
  ends[0]?.('first');
  expect(await results).toEqual(['first', 'first']);
});

test('a request that comes after a read has started starts another read', async () => {
  const { ends, act } = controlledReads();
  const reads = new SharedReads<string>();
  const early = reads.read('a', act);
  await nextTurn();
  await nextTurn();
  expect(ends).toHaveLength(1);
  const late = reads.read('a', act);
  ends[0]?.('before the change');
  expect(await early).toBe('before the change');
  await nextTurn();
  expect(ends).toHaveLength(2);
  ends[1]?.('after the change');
  expect(await late).toBe('after the change');
});

test('requests for different things share no read', async () => {
  const reads = new SharedReads<string>();
  const results = ['a', 'b'].map((name) => reads.read(name, () => Promise.resolve(name)));
  expect(await Promise.all(results)).toEqual(['a', 'b']);
});

test('a failed read fails for the requests that share it, and for none after them', async () => {
  const reads = new SharedReads<string>();
  const fail = () => Promise.reject(new Error('no connection'));
  const results = await Promise.allSettled([reads.read('a', fail), reads.read('a', fail)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await reads.read('a', () => Promise.resolve('well'))).toBe('well');
});

test('different requests of one turn are read at once, and each gets its own result', async () => {
  const batches: (readonly number[])[] = [];
  const reads = new BatchedReads<number, string>((requests) => {
    batches.push(requests);
    return Promise.resolve(requests.map(String));
  });
  const results = [1, 2, 1].map((each) => reads.read(`name of ${each}`, each));
  expect(await Promise.all(results)).toEqual(['1', '2', '1']);
  expect(await reads.read('name of 1', 1)).toBe('1');
  expect(batches).toEqual([[1, 2], [1]]);
});

test('a batch has at most 100 requests', async () => {
  const sizes: number[] = [];
  const reads = new BatchedReads<number, number>((requests) => {
    sizes.push(requests.length);
    return Promise.resolve(requests);
  });
  const numbers = Array.from({ length: 250 }, (_, index) => index);
  expect(await Promise.all(numbers.map((each) => reads.read(String(each), each)))).toEqual(numbers);
  expect(sizes).toEqual([100, 100, 50]);
});

test('a failed batch fails for its requests, and for none after them', async () => {
  let isDown = true;
  const reads = new BatchedReads<string, string>((requests) =>
    isDown ? Promise.reject(new Error('no connection')) : Promise.resolve(requests),
  );
  const results = await Promise.allSettled([reads.read('a', 'a'), reads.read('b', 'b')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  expect(await reads.read('a', 'well')).toBe('well');
});
