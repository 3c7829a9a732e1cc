import { expect, test } from 'vitest';
import { PartProblem } from '../../../shared/process/part-problem.ts';
import { partReady } from '../../../shared/process/part-ready.ts';
import { createLog } from '../../../shared/telemetry/log.ts';

test('a process that waits for a part says at once what is wrong, and when the part works', async () => {
  const lines: unknown[] = [];
  const log = createLog('worker', 'info', { write: (line: string) => lines.push(JSON.parse(line)) });
  let tries = 0;
  const check = () => {
    tries += 1;
    return tries > 1
      ? Promise.resolve('the result')
      : Promise.reject(new PartProblem({ problem: 'Nothing listens there.', advice: null }));
  };
  expect(await partReady(log, 'storage', check)).toBe('the result');
  expect(lines).toMatchObject([
    { msg: 'waiting for a part', part: 'storage', problem: 'Nothing listens there.' },
    { msg: 'part is available', part: 'storage' },
  ]);
});
