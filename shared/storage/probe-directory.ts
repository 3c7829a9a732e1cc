import { statfs } from 'node:fs/promises';
import { DirectoryStorage } from './directory-storage.ts';
import { objectsFolder } from './objects-folder.ts';
import { probeObjects, removeStaleProbes } from './probe-objects.ts';
import { type Finding, type ProbeStep, tryStep } from '../process/probe-step.ts';

const GIB = 1024 ** 3;

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'Let the user of this process own DATA_DIR.',
  EPERM: 'Let the user of this process own DATA_DIR.',
  EROFS: 'Mount the disk of DATA_DIR writable.',
  ENOSPC: 'Free space on the disk of DATA_DIR.',
  EDQUOT: 'Raise the quota of the disk of DATA_DIR.',
  ENOTDIR: 'A file is in the way: move it, or set another DATA_DIR.',
  EEXIST: 'A file is in the way: move it, or set another DATA_DIR.',
  EIO: 'The disk fails: look at the log of the kernel.',
};

/** Tries the directory of objects: writing with a sync, reading, removing, free space. */
export async function probeDirectory(dataDir: string): Promise<readonly ProbeStep[]> {
  const folder = objectsFolder(dataDir);
  let storage: DirectoryStorage | undefined;
  const open = await tryStep(
    'directory',
    async () => {
      storage = await DirectoryStorage.open(folder);
      await removeStaleProbes(storage);
      return folder;
    },
    explainFileError,
  );
  if (storage === undefined) return [open];
  return [
    open,
    ...(await probeObjects(storage, explainFileError)),
    await tryStep('space', () => freeSpace(folder), explainFileError),
  ];
}

async function freeSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const detail = `${(freeBytes / GIB).toFixed(1)} GiB are free`;
  return freeBytes < GIB ? { ok: false, detail, advice: 'Free space on the disk of DATA_DIR.' } : detail;
}

function explainFileError(error: unknown): Pick<ProbeStep, 'detail' | 'advice'> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return { detail: error instanceof Error ? error.message : String(error), advice: ADVICE[code] ?? null };
}
