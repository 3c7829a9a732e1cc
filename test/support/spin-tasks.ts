import { threadTimeMs } from '../../shared/threads/serve-tasks.ts';

/** Work that takes a known processor time, however busy the machine is. */
export function spinTasks() {
  const spin = ({ ms }: { readonly ms: number }): string => {
    const endMs = threadTimeMs() + ms;
    while (threadTimeMs() < endMs);
    return 'done';
  };
  return {
    spin,
    fail(input: { readonly ms: number }): never {
      spin(input);
      throw new Error('failed');
    },
  };
}

/** The tasks by name. */
export type SpinTasks = ReturnType<typeof spinTasks>;
