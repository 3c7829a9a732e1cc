// The hostile organization, in a process of its own, so that its work does not delay the clocks of the others.
import { setTimeout } from 'node:timers/promises';
import { HOSTILE_ATTACKS, prepareBodies, type HostileAttack, type HostileOrganization } from './attacks.ts';

/** The target and the names of the attacks. */
export interface AttackOrder {
  readonly target: HostileOrganization;
  readonly names: readonly string[];
}

/** How often each attack was answered with each status, by its name; status 0: not at all. */
export type HostileReport = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Between an answer and the next request of a lane. */
const PAUSE_MS = 250;

const counts: Record<string, Record<string, number>> = {};

async function attack(target: HostileOrganization, { name, send }: HostileAttack, lane: number) {
  const count = (counts[name] ??= {});
  for (;;) {
    const status = await send(target, lane);
    // Below 0: nothing was sent.
    if (status >= 0) count[status] = (count[status] ?? 0) + 1;
    await setTimeout(PAUSE_MS);
  }
}

prepareBodies();
process.on('message', (message: AttackOrder | 'report') => {
  if (message !== 'report')
    for (const each of HOSTILE_ATTACKS.filter(({ name }) => message.names.includes(name)))
      for (let lane = 0; lane < each.lanes; lane += 1) void attack(message.target, each, lane);
  process.send?.(counts satisfies HostileReport);
});
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', () => process.exit(0));
process.send?.({});
