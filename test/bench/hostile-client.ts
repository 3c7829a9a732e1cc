// The hostile organization, in a process of its own, so that its work does not delay the clocks of the others.
import { setTimeout } from 'node:timers/promises';
import { HOSTILE_ATTACKS, prepareBodies } from './hostile-attacks.ts';
import type { HostileOrganization } from './hostile-attacks.ts';

/** How often each attack was answered with each status, in the order of the attacks; 0: not at all. */
export type HostileReport = readonly Readonly<Record<string, number>>[];

/** Between an answer and the next request of a lane. */
const PAUSE_MS = 250;

const counts = HOSTILE_ATTACKS.map((): Record<string, number> => ({}));

async function attack(target: HostileOrganization, index: number, lane: number): Promise<never> {
  for (;;) {
    const status = await HOSTILE_ATTACKS[index]?.send(target, lane);
    const count = counts[index];
    // Below 0: nothing was sent.
    if (count !== undefined && status !== undefined && status >= 0) count[status] = (count[status] ?? 0) + 1;
    await setTimeout(PAUSE_MS);
  }
}

prepareBodies();
process.on('message', (target: HostileOrganization | 'report') => {
  if (target !== 'report')
    for (const [index, { lanes }] of HOSTILE_ATTACKS.entries())
      for (let lane = 0; lane < lanes; lane += 1) void attack(target, index, lane);
  process.send?.(counts satisfies HostileReport);
});
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', () => process.exit(0));
process.send?.({});
