import { expect, test } from 'vitest';
import { createLog } from '../../../shared/telemetry/log.ts';

function record() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, log: createLog('api', 'info', { write }) };
}

const refused = (port: number) =>
  Object.assign(new Error(`connect ECONNREFUSED 127.0.0.1:${port}`), {
    code: 'ECONNREFUSED',
    ...{ address: '127.0.0.1', port },
  });

test('failures of one connection are one line with the remedy instead of a stack', () => {
  const { lines, log } = record();
  const child = log.child({ importId: 'one' });
  for (let each = 0; each < 15; each += 1)
    (each % 2 === 0 ? log : child).warn({ err: refused(6379) }, 'queue failed');
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'queue failed',
      problem: 'Nothing listens at 127.0.0.1:6379.',
      advice: 'Start the server, or correct its address in the settings.',
      suppressed: 0,
    }),
  ]);
  expect(lines[0]).not.toHaveProperty('err');
});

test('another failure, and another part, have lines of their own', () => {
  const { lines, log } = record();
  log.warn({ err: refused(1) }, 'queue failed');
  log.warn({ err: refused(2) }, 'queue failed');
  log.error(
    { err: Object.assign(new Error('terminating connection'), { code: '57P01' }) },
    'tasks not checked',
  );
  expect(lines.map(({ problem }) => problem)).toEqual([
    'Nothing listens at 127.0.0.1:1.',
    'Nothing listens at 127.0.0.1:2.',
    'terminating connection',
  ]);
});

test('every other error is logged each time, with its stack', () => {
  const { lines, log } = record();
  for (const each of [1, 2]) log.error({ err: new Error(`bug ${each}`) }, 'request failed');
  expect(lines).toMatchObject([{ err: { message: 'bug 1' } }, { err: { message: 'bug 2' } }]);
});
