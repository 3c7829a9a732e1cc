import { ownClock } from '../../shared/threads/thread-time.ts';

/** Work that takes a known processor time, however busy the machine is. */
export function spinTasks() {
  const clock = ownClock();
  const spin = ({ ms }: { readonly ms: number }): string => {
    const endMs = clock() + ms;
    while (clock() < endMs);
    return 'done';
  };
  return {
    spin,
    /** Waits, as for a processor that others use. */
    wait({ ms }: { readonly ms: number }): string {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      return 'waited';
    },
    fail(input: { readonly ms: number }): never {
      spin(input);
      throw new Error('failed');
    },
  };
}

/** The tasks by name. */
export type SpinTasks = ReturnType<typeof spinTasks>;
