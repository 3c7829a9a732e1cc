import { readFile } from 'node:fs/promises';

/** Ticks of all processors since the machine started (proc_stat(5)). */
interface ProcessorTimes {
  readonly busy: number;
  readonly all: number;
}

/** What the host of a virtual machine took for others counts as busy: it was not there for the service. */
async function processorTimes(): Promise<ProcessorTimes> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n');
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + irq + softirq + steal;
  return { busy, all: busy + idle + iowait };
}

/** Does a thing and tells which share of all processors of this machine was in use meanwhile, 0 to 1. */
export async function measureProcessorUse(act: () => Promise<void>): Promise<number> {
  const before = await processorTimes();
  await act();
  const after = await processorTimes();
  return (after.busy - before.busy) / (after.all - before.all);
}
