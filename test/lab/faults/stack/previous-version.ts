import { execFile, spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '../../../../..');
const MIGRATIONS = 'shared/db/migrations';
const run = promisify(execFile);

/** The output of git; null if it fails. */
function git(...args: readonly string[]): string | null {
  // The files may belong to another user than the one that runs the faults.
  const { status, stdout } = spawnSync('git', ['-c', 'safe.directory=*', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : null;
}

/**
 * The commit that an upgrade to this version starts from: the last release, or, where nothing was released, the previous
 * commit. If that has a migration that this commit changed, which it may until the first release, it is this commit: the
 * schema has the migrations of a later version in any case. Null where there is no history.
 */
export function previousCommit(): string | null {
  const release = git('describe', '--tags', '--abbrev=0', 'HEAD~1');
  if (release !== null) return release;
  const isUpgrade =
    git('diff', '--name-only', '--diff-filter=MDR', 'HEAD~1', 'HEAD', '--', MIGRATIONS) === '';
  return git('rev-parse', '--verify', '--quiet', isUpgrade ? 'HEAD~1' : 'HEAD');
}

/** Compiles a commit into a folder of its own, with the packages of this version; returns the compiled service. */
export async function buildCommit(commit: string, folder: string): Promise<string> {
  await mkdir(folder);
  const archive = path.join(folder, 'sources.tar');
  await run('git', ['-c', 'safe.directory=*', 'archive', '--output', archive, commit], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', folder]);
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const compiler = path.join(ROOT, 'node_modules/typescript-7/bin/tsc');
  await run(process.execPath, [compiler, '-p', folder, '--noCheck'], { cwd: folder });
  return path.join(folder, 'dist');
}
