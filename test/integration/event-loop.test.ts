import { expect } from 'vitest';
import { HOSTILE_BODIES } from '../support/hostile-inputs/hostile-bodies.ts';
import { compileService, startServiceProcess } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ worker: false });

const MIB = 1024 * 1024;

/** The limit. It is measured as processor time of the main thread, so that other work on the machine does not count. */
const MAX_STALL_MS = 50;

/** The shortest of three: a collection of garbage, or code that is compiled for the first time, is not the input's. */
async function worstStallMs(service: ServiceProcess, act: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= 3 && least > MAX_STALL_MS; round += 1) {
    await service.worstStall();
    await act();
    least = Math.min(least, (await service.worstStall()).worst.processorMs);
  }
  return least;
}

const putter = (api: ServiceProcess) => (farmer: { id: string; admin: string }, body: string) =>
  fetch(`http://127.0.0.1:${api.ready.listening ?? 0}/api/v8.0/${farmer.id}/structures`, {
    method: 'PUT',
    body,
    headers: { Authorization: farmer.admin, 'Content-Type': 'application/json' },
  });

test('no JSON body blocks the event loop of the API for more than 50 ms', async ({ app, farmer }) => {
  await compileService();
  const api = await startServiceProcess('api', app.environment, { watchLoop: true });
  const put = putter(api);
  const stalls: Record<string, number> = {};
  for (const [title, body] of HOSTILE_BODIES) {
    const text = body(MIB);
    stalls[title] = await worstStallMs(api, async () => {
      const answer = await put(farmer, text);
      expect(answer.status, `${title}: ${await answer.text()}`).toBe(400);
    });
  }
  expect(Object.entries(stalls).filter(([, ms]) => ms > MAX_STALL_MS)).toEqual([]);
  await api.stop();
});
