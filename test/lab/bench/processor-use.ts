import { readFile } from 'node:fs/promises';

/** Ticks of all processors since the machine started (proc_stat(5)). */
interface ProcessorTimes {
  readonly busy: number;
  readonly all: number;
}

/** Time that the host of a virtual machine gave to others counts as busy: the service could not use it. */
async function processorTimes(): Promise<ProcessorTimes> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n');
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + irq + softirq + steal;
  return { busy, all: busy + idle + iowait };
}

/** Runs an operation and returns the share of all processors of this machine in use meanwhile, 0 to 1. */
export async function measureProcessorUse(act: () => Promise<void>): Promise<number> {
  const before = await processorTimes();
  await act();
  const after = await processorTimes();
  return (after.busy - before.busy) / (after.all - before.all);
}
