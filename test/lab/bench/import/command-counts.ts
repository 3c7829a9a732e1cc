import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { Redis } from 'ioredis';
import type { Counted } from './count-tables.ts';

/** The commands that Redis executed since the last reset. */
export interface CommandCounts {
  reset(): void;
  read(): readonly Counted[];
  close(): void;
}

interface Script {
  readonly name: string;
  readonly content: string;
}

/** The names of the queue's scripts by the SHA-1 that clients call them by. BullMQ does not export them. */
function scriptNames(): ReadonlyMap<string, string> {
  const scripts = createRequire(import.meta.url)('bullmq/dist/cjs/scripts') as Readonly<
    Record<string, Script>
  >;
  return new Map(
    Object.values(scripts).map(({ name, content }) => [
      createHash('sha1').update(content).digest('hex'),
      name,
    ]),
  );
}

/** Counts with MONITOR, which shows what clients send and what scripts do. */
export async function openCommandCounts(url: string): Promise<CommandCounts> {
  const names = scriptNames();
  const redis = new Redis(url);
  const monitor = await redis.monitor();
  const counts = new Map<string, { group: string; name: string; calls: number }>();
  monitor.on('monitor', (_time: string, [command = '', first = '']: string[], source: string) => {
    const isInScript = source === 'lua';
    const group = isInScript ? 'in scripts' : 'from clients';
    const script = command === 'evalsha' ? ` ${names.get(first) ?? 'of another library'}` : '';
    // The commands inside a script are an internal of the library.
    const name = isInScript ? 'commands' : command.toUpperCase() + script;
    const key = `${group} ${name}`;
    counts.set(key, { group, name, calls: (counts.get(key)?.calls ?? 0) + 1 });
  });
  return {
    reset() {
      counts.clear();
    },
    read: () => [...counts.values()],
    close() {
      monitor.disconnect();
      redis.disconnect();
    },
  };
}
