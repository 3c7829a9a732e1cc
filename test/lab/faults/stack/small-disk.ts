import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';

/** Has room for the objects of a thousand small imports, and fills up quickly. */
const DISK_BYTES = 256 * 1024 * 1024;
const FILL_PIECE = Buffer.alloc(1024 * 1024);

/** A disk of a few megabytes that only processes in its mount namespace see. */
export interface SmallDisk {
  /** Its path for processes that `prefix` starts. */
  readonly folder: string;
  /** Its path for this process. */
  readonly seenFromHere: string;
  /** A prefix of the command of a program that is to see it. */
  readonly prefix: readonly string[];
  /** Fills it to the last byte. */
  fill(): Promise<void>;
  clear(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether this process may create mount namespaces on this machine. */
export function canMount(): boolean {
  const mount = ['--mount', 'sh', '-c', 'mount -t tmpfs -o size=1m none /mnt'];
  return spawnSync('unshare', mount, { stdio: 'ignore' }).status === 0;
}

/** Mounts the disk on a folder, in a namespace that lives until it is stopped or this process ends. */
export async function mountSmallDisk(folder: string): Promise<SmallDisk> {
  await mkdir(folder, { recursive: true });
  const script = 'mount -t tmpfs -o size="$1" none "$0" && echo ready && exec cat';
  const holder = spawn('unshare', ['--mount', 'sh', '-c', script, folder, String(DISK_BYTES)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const pid = holder.pid ?? 0;
  const seenFromHere = path.join(`/proc/${pid}/root`, folder);
  const filler = path.join(seenFromHere, 'filler');
  return {
    folder,
    seenFromHere,
    prefix: ['nsenter', `--mount=/proc/${pid}/ns/mnt`],
    async fill() {
      const file = await open(filler, 'w');
      try {
        for (;;) await file.write(FILL_PIECE);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        await file.close();
      }
    },
    clear: () => rm(filler, { force: true }),
    async stop() {
      const ended = once(holder, 'exit');
      holder.kill('SIGKILL');
      await ended;
    },
  };
}
