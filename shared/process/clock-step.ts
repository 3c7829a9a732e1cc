import type { Finding } from './probe-step.ts';

/** Beyond this, tokens that are valid are refused. */
const TOLERATED_MS = 30_000;
const UNUSUAL_MS = 5_000;

/** What a difference of clocks means; positive where the other clock is ahead. */
export function clockFinding(differenceMs: number, whose: string): Finding {
  const seconds = Math.abs(differenceMs / 1_000).toFixed(1);
  if (Math.abs(differenceMs) < UNUSUAL_MS) return `differs from this machine's by ${seconds} s`;
  return {
    ok: Math.abs(differenceMs) < TOLERATED_MS,
    detail: `The clock of ${whose} is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} this machine's.`,
    advice: 'Let NTP set both clocks, such as with: timedatectl set-ntp true',
  };
}

/** How far another clock is ahead; `read` returns its time in milliseconds. */
export async function clockDifference(read: () => Promise<number>): Promise<number> {
  const beforeMs = Date.now();
  const otherMs = await read();
  return otherMs - (beforeMs + Date.now()) / 2;
}
