import { setTimeout } from 'node:timers/promises';
import { onBothQueues, type Fault } from './fault.ts';
import type { FaultStack, FaultWorker } from './stack/fault-stack.ts';
import type { Boundary } from './stack/wire-proxy.ts';

/**
 * Where one step of an import ends and the next starts, as the worker's requests show it: the start of an
 * attempt, the reading of the archive, the one statement that writes revision and end, and the notification of
 * waiting requests.
 */
const REQUESTS = ['coalesce(started_at, now())', '/packages/', 'insert into module_revisions', 'pg_notify'];
const BOUNDARIES: readonly Boundary[] = REQUESTS.flatMap((text) => [
  { text, when: 'before' },
  { text, when: 'after' },
]);
const BOUNDARY_MS = 4_000;

/** Resolves once the worker reaches the boundary; after some seconds in any case, at a random time then. */
async function reached({ wires }: FaultWorker, boundary: Boundary): Promise<void> {
  const late = new AbortController();
  const hit = new Promise<void>((resolve) => {
    for (const wire of wires) wire.arm(boundary, resolve);
  });
  await Promise.race([
    hit,
    setTimeout(BOUNDARY_MS, undefined, { signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
  for (const wire of wires) wire.disarm();
}

async function killWorker({ workers }: FaultStack, round: number): Promise<void> {
  const worker = workers[round % workers.length];
  const boundary = BOUNDARIES[round % BOUNDARIES.length];
  if (worker === undefined || boundary === undefined) throw new Error('no worker to kill');
  await reached(worker, boundary);
  await worker.child.kill();
}

/** Longer than a job's lock lasts plus the time until its loss is noticed. */
const CUT_OFF_MS = 12_000;

/** Cuts off the hosts in turn, workers and API processes mixed. */
async function cutOffHost({ hosts }: FaultStack, round: number): Promise<void> {
  const host = hosts[(2 + round * (hosts.length - 1)) % hosts.length];
  if (host === undefined) throw new Error('no host to cut off');
  host.cutOff();
  await setTimeout(CUT_OFF_MS);
  host.bringBack();
}

/** Loses the packets of the hosts in turn, in either direction in turn. */
async function losePackets({ hosts }: FaultStack, round: number): Promise<void> {
  const host = hosts[(2 + round * (hosts.length - 1)) % hosts.length];
  if (host === undefined) throw new Error('no host whose packets are lost');
  const direction = round % 2 === 0 ? 'incoming' : 'outgoing';
  host.losePackets(direction);
  await setTimeout(CUT_OFF_MS);
  host.deliverPackets(direction);
}

/** Longer than a job's lock and an idle transaction last. */
const PAUSE_MS = 20_000;

/** Stops a worker, an API process, and both at once, in turn. */
async function pauseProcesses({ apis, workers }: FaultStack, round: number): Promise<void> {
  const worker = round % 3 === 1 ? undefined : workers[round % workers.length];
  const api = round % 3 === 0 ? undefined : apis[round % apis.length];
  await setTimeout(Math.random() * 1_000);
  worker?.child.pause();
  api?.pause();
  await setTimeout(PAUSE_MS);
  worker?.child.resume();
  api?.resume();
}

/** Processes of the service that die or become unreachable. */
export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: 'worker killed at each step',
    parts: 'Redis, S3',
    needs: ['redis and S3'],
    watchesWorkers: true,
    minTimes: BOUNDARIES.length,
    pauseMs: 300,
    inject: killWorker,
  },
  {
    name: 'worker killed at random',
    parts: 'PostgreSQL, directory',
    pauseMs: 500,
    async inject({ workers }, round) {
      await setTimeout(Math.random() * 1_000);
      await workers[round % workers.length]?.child.kill();
    },
  },
  {
    name: 'API killed while clients wait',
    parts: 'PostgreSQL, directory',
    pauseMs: 1_000,
    async inject({ apis }, round) {
      await apis[round % apis.length]?.kill();
    },
  },
  {
    name: 'host cut off',
    parts: 'Redis, S3',
    needs: ['redis and S3', 'network namespaces'],
    workers: 4,
    isOnHosts: true,
    pauseMs: 2_000,
    inject: cutOffHost,
  },
  ...onBothQueues({
    name: 'packets lost in one direction',
    needs: ['network namespaces'],
    workers: 4,
    isOnHosts: true,
    // A worker and an API process in each direction.
    minTimes: 4,
    pauseMs: 2_000,
    inject: losePackets,
  }),
  ...onBothQueues({
    name: 'processes stopped and continued',
    minTimes: 3,
    pauseMs: 1_000,
    inject: pauseProcesses,
  }),
];
