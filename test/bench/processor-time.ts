import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** What a process and its ended children have used, by proc_pid_stat(5). */
interface ProcessTimes {
  readonly parent: number;
  readonly ticks: number;
}

const ticksPerSecond = () => Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

async function processTimes(pid: number): Promise<ProcessTimes | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (stat === null) return null;
  // The second field is the program's name in brackets, which may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
  return { parent: Number(fields[1]), ticks };
}

/** Seconds of processor time that a process and all its descendants have used so far. */
export async function processorSeconds(root: number): Promise<number> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const times = new Map<number, ProcessTimes>();
  for (const pid of pids) {
    const found = await processTimes(pid);
    if (found !== null) times.set(pid, found);
  }
  const isBelow = (pid: number): boolean => {
    if (pid === root) return true;
    const found = times.get(pid);
    return found !== undefined && isBelow(found.parent);
  };
  const own = [...times].filter(([pid]) => isBelow(pid));
  return own.reduce((sum, [, { ticks }]) => sum + ticks, 0) / ticksPerSecond();
}
