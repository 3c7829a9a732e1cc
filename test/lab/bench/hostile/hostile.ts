import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { benchCrowd } from './crowd.ts';
import { runHonestLoad } from './honest-load.ts';
import { HOSTILE_ATTACKS } from './attacks.ts';
import type { AttackOrder, HostileReport } from './client.ts';
import { printAnswers, printHonest, printProcesses, printTimes, type Phase } from './report.ts';
import { startAttackedService, worstGaps, type AttackedService } from './service.ts';
import { processorMs } from '../process-tree.ts';
import { threadTimes, type ThreadTimes } from './process-threads.ts';

/** `leadSeconds`: until all attacks are under way. */
const FULL = { warmUpSeconds: 20, seconds: 60, leadSeconds: 10 };
const QUICK = { warmUpSeconds: 6, seconds: 15, leadSeconds: 5 };

/**
 * The calls of ten organizations, alone and beside one that attacks the service in every way at once: `--quick`
 * measures for a shorter time, `--attack SVG` (several times, if need be) beside the attacks alone whose name contains this,
 * `--organizations 3` the light reads of one more organization beside two and three hostile ones.
 */
export async function benchHostile(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      attack: { type: 'string', multiple: true, default: [''] },
      organizations: { type: 'string' },
    },
  });
  const { warmUpSeconds, seconds, leadSeconds } = values.quick ? QUICK : FULL;
  const names = HOSTILE_ATTACKS.map(({ name }) => name).filter((name) =>
    values.attack.some((part) => name.toLowerCase().includes(part.toLowerCase())),
  );
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-hostile-'));
  const service = await startAttackedService(folder);
  try {
    if (values.organizations !== undefined) {
      await benchCrowd(service, Number(values.organizations), values.quick ? 5 : 20);
      return;
    }
    await runHonestLoad(service.url, service.honest, warmUpSeconds);
    const alone = await measurePhase(service, seconds);
    const release = await service.lockStructures(service.hostile.farmerId);
    await service.attacker.request<HostileReport>({ target: service.hostile, names } satisfies AttackOrder);
    await setTimeout(leadSeconds * 1_000);
    const beside = await measurePhase(service, seconds);
    const report = await service.attacker.request<HostileReport>('report');
    await release();
    printHonest(alone, beside);
    printTimes(alone, beside);
    printProcesses(service, alone, beside);
    printAnswers(report);
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs the honest organizations' calls, and measures what everybody uses meanwhile. */
async function measurePhase(service: AttackedService, seconds: number): Promise<Phase> {
  await worstGaps(service);
  const before = timesOf(service);
  const results = await runHonestLoad(service.url, service.honest, seconds);
  const after = timesOf(service);
  const used = [...after].map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / seconds] as const);
  return { results, usedMsPerSecond: new Map(used), gaps: await worstGaps(service) };
}

/** Processor time so far, of each process and of its threads. */
function timesOf({ processes, postgresPid, attacker }: AttackedService): ReadonlyMap<string, number> {
  const names: Readonly<Record<keyof ThreadTimes, string>> = {
    main: 'main thread',
    low: 'threads of a lower priority',
    others: 'other threads',
  };
  const times = new Map<string, number>();
  for (const { name, pid } of processes)
    for (const [kind, ms] of Object.entries(threadTimes(pid)))
      times.set(`${name}, ${names[kind as keyof ThreadTimes]}`, ms);
  times.set('PostgreSQL', processorMs(postgresPid));
  times.set('hostile organization', processorMs(attacker.pid));
  times.set('honest organizations', process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000);
  return times;
}
