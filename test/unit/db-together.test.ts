import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { together, TurnBatches } from '../../shared/db/together.ts';

const refused = (request: string) => Object.assign(new Error(`refused ${request}`), { code: '23505' });

/** Sends requests as a database would that refuses every statement with this request. */
function sender(bad: string, error: (request: string) => Error = refused) {
  const statements: (readonly string[])[] = [];
  const send = (requests: readonly string[]) => {
    statements.push(requests);
    if (requests.includes(bad)) return Promise.reject(error(bad));
    return Promise.resolve(requests.map((each) => each.toUpperCase()));
  };
  return { statements, send };
}

test('a request that the database refuses fails alone: each of the statement goes again by itself', async () => {
  const { statements, send } = sender('b');
  expect(await Promise.allSettled(together(['a', 'b', 'c'], send))).toEqual([
    { status: 'fulfilled', value: 'A' },
    { status: 'rejected', reason: refused('b') },
    { status: 'fulfilled', value: 'C' },
  ]);
  expect(statements).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
});

test.each(['ECONNRESET', 'EPIPE', '08P01', '57P01'])(
  'if no answer arrives, every request fails and none is sent again: %s',
  async (code) => {
    const { statements, send } = sender('b', () => Object.assign(new Error('lost'), { code }));
    const results = await Promise.allSettled(together(['a', 'b'], send));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(statements).toEqual([['a', 'b']]);
  },
);

test('a single request that is refused is not sent again', async () => {
  const { statements, send } = sender('a');
  expect(await Promise.allSettled(together(['a'], send))).toEqual([
    { status: 'rejected', reason: refused('a') },
  ]);
  expect(statements).toEqual([['a']]);
});

test('the requests of one turn of the event loop are one statement, with at most 64 of them', async () => {
  const { statements, send } = sender('none');
  const batches = new TurnBatches(send);
  const requests = Array.from({ length: 70 }, (_, index) => `r${index}`);
  expect(await Promise.all(requests.map((each) => batches.add(each)))).toEqual(
    requests.map((each) => each.toUpperCase()),
  );
  expect(statements.map(({ length }) => length)).toEqual([64, 6]);
  await batches.add('later');
  expect(statements.at(-1)).toEqual(['later']);
});

test('each request of a turn gets its own result or error', async () => {
  const batches = new TurnBatches(sender('b').send);
  const [first, second] = await Promise.allSettled([batches.add('a'), batches.add('b')]);
  expect(first).toEqual({ status: 'fulfilled', value: 'A' });
  expect(second).toEqual({ status: 'rejected', reason: refused('b') });
});

test('where no statement runs, a request leaves before other events; beside one, at the end of the turn', async () => {
  const order: string[] = [];
  const answers = new AbortController();
  const answered = once(answers.signal, 'abort');
  const batches = new TurnBatches<string, string>(async (requests) => {
    order.push(...requests);
    await answered;
    return requests;
  });
  setImmediate(() => order.push('an event'));
  const first = batches.add('first');
  await nextTurn();
  setImmediate(() => order.push('another event'));
  const second = batches.add('second');
  await nextTurn();
  await nextTurn();
  answers.abort();
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'an event', 'another event', 'second']);
});
