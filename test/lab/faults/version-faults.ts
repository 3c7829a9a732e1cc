import { setTimeout } from 'node:timers/promises';
import { onBothQueues, type Fault } from './fault.ts';
import type { FaultStack } from './stack/fault-stack.ts';

/** Kills a worker and an API process, so that the versions take imports over from each other. */
async function killOneOfEach({ apis, workers }: FaultStack, round: number): Promise<void> {
  await setTimeout(Math.random() * 1_000);
  await Promise.all([
    workers[round % workers.length]?.child.kill(),
    round % 2 === 0 ? apis[round % apis.length]?.kill() : undefined,
  ]);
}

const upgrade = { needs: ['previous version'], pauseMs: 1_500, inject: killOneOfEach } as const;

/** Processes of this version beside those of the previous one, on a schema that a later version has expanded. */
export const VERSION_FAULTS: readonly Fault[] = [
  ...onBothQueues({ ...upgrade, name: 'workers of the previous version', previous: 'workers' }),
  ...onBothQueues({ ...upgrade, name: 'API of the previous version', previous: 'apis' }),
];
