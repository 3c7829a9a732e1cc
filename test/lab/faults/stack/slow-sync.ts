import { spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from '../../../support/find-program.ts';

const SOURCE = path.resolve(import.meta.dirname, '../../../../../test/lab/faults/stack/slow-sync.c');

/** A disk that takes as long as it is set to for each sync of the programs that are run on it. */
export interface SlowDisk {
  /** For a program that is to sync slowly. */
  readonly environment: Readonly<Record<string, string>>;
  /** The additional time of each sync from now on. */
  setDelay(ms: number): Promise<void>;
  /** Makes a folder of programs that run those of another folder on this disk. */
  wrap(programs: string, names: readonly string[]): Promise<string>;
}

/** The C compiler of this machine; null where there is none. */
export function findCompiler(): string | null {
  return findProgram('cc') ?? findProgram('gcc');
}

/** Compiles the library that slows syncs down. @throws Error where that fails */
export async function makeSlowDisk(folder: string): Promise<SlowDisk> {
  const library = path.join(folder, 'slow-sync.so');
  const delayFile = path.join(folder, 'sync-delay');
  const compile = ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl'];
  const { status, stderr } = spawnSync(findCompiler() ?? 'cc', compile, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`slow-sync.c does not compile: ${stderr}`);
  await chmod(library, 0o755);
  const setDelay = (ms: number) => writeFile(delayFile, String(ms), { mode: 0o644 });
  await setDelay(0);
  return {
    environment: { LD_PRELOAD: library, SLOW_SYNC_FILE: delayFile },
    setDelay,
    async wrap(programs, names) {
      const wrapped = path.join(folder, 'programs');
      await mkdir(wrapped);
      for (const name of names) {
        const script = `#!/bin/sh\nLD_PRELOAD='${library}' SLOW_SYNC_FILE='${delayFile}' exec '${programs}/${name}' "$@"\n`;
        await writeFile(path.join(wrapped, name), script, { mode: 0o755 });
      }
      return wrapped;
    },
  };
}
