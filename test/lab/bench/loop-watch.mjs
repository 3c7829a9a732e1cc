// Loaded with --import into a process of the service: it measures how long the event loop stands still. On a machine
// with other work the wall clock also counts their time; the processor time of the main thread between two turns does not.
import { openSync, readSync } from 'node:fs';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const TURN_MS = 2;

/** Milliseconds that the main thread has run so far (proc_pid_schedstat); null where the system does not report it. */
function processorClock() {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const buffer = Buffer.alloc(64);
    const read = () =>
      Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, 64, 0)).split(' ')[0]) / 1e6;
    return read() > 0 ? read : null;
  } catch {
    return null;
  }
}

if (isMainThread) {
  const processorMs = processorClock();
  let worst = { wallMs: 0, processorMs: 0 };
  let last = { wall: performance.now(), processor: processorMs?.() ?? 0 };
  const turn = () => {
    const now = { wall: performance.now(), processor: processorMs?.() ?? 0 };
    const wallMs = now.wall - last.wall - TURN_MS;
    worst = {
      wallMs: Math.max(worst.wallMs, wallMs),
      processorMs: Math.max(
        worst.processorMs,
        processorMs === null ? wallMs : now.processor - last.processor,
      ),
    };
    last = now;
  };
  setInterval(turn, TURN_MS).unref();
  process.on('message', (message) => {
    if (message !== 'worst stall') return;
    turn();
    process.send?.({ worst, memoryMiB: Math.round(process.memoryUsage().rss / 1048576) });
    worst = { wallMs: 0, processorMs: 0 };
  });
  // The listener alone must not keep the process alive.
  process.channel?.unref();
}
