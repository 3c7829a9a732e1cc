import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, cp, lstat, mkdir, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** The account that runs PostgreSQL, which refuses root. */
export interface Account {
  /** Null: the account of this process. */
  readonly ids: { readonly uid: number; readonly gid: number } | null;
  /** Changes the owner of a file to the account. */
  own(file: string): Promise<void>;
}

const NOBODY = 65_534;
const OWN_ACCOUNT: Account = { ids: null, own: () => Promise.resolve() };
const AS_NOBODY: Account = {
  ids: { uid: NOBODY, gid: NOBODY },
  own: (file) => chown(file, NOBODY, NOBODY),
};

/** Whether this process is root. */
export const isRoot = process.platform !== 'win32' && process.getuid?.() === 0;

/** The account for a server's directory: that of this process, or `nobody`, who then owns the directory. */
export async function chooseAccount(directory: string): Promise<Account> {
  if (!isRoot) return OWN_ACCOUNT;
  await AS_NOBODY.own(directory);
  await chmod(directory, 0o700);
  return AS_NOBODY;
}

/** Root keeps here what another account must reach, but cannot in a folder that only root may enter. */
export const OPEN_FOLDER = '/var/lib/module-import';

/** Whether every account may enter a folder, or run a program: nobody but root may in `/root`, for one. */
async function isOpenToAll(file: string): Promise<boolean> {
  const { mode } = await stat(file);
  const parent = path.dirname(file);
  return (mode & 0o001) !== 0 && (parent === file || isOpenToAll(parent));
}

/** A new or existing folder below the open one, itself open to all. */
async function makeOpen(name: string): Promise<string> {
  const folder = path.join(OPEN_FOLDER, name);
  await mkdir(folder, { recursive: true });
  // Whatever the umask of root is.
  for (const each of [OPEN_FOLDER, folder]) await chmod(each, 0o755);
  return folder;
}

/** The folder of a program, or a copy of it that every account may use; `version` names the copy. */
export async function openPrograms(folder: string, program: string, version: string): Promise<string> {
  if (!isRoot || (await isOpenToAll(path.join(folder, program)))) return folder;
  const copy = path.join(await makeOpen('programs'), version);
  if (await isOpenToAll(path.join(copy, program)).catch(() => false)) return copy;
  const half = `${copy}.${process.pid}`;
  await cp(folder, half, { recursive: true, verbatimSymlinks: true });
  for (const entry of await readdir(half, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) await chmod(path.join(entry.parentPath, entry.name), 0o755);
  await chmod(half, 0o755);
  await rm(copy, { recursive: true, force: true });
  await rename(half, copy);
  return copy;
}

/**
 * Makes a folder that the account of a server can enter. Where only root may enter its parent, it becomes a link to one
 * elsewhere. @returns the real path
 */
export async function makeReachable(directory: string): Promise<string> {
  await mkdir(path.dirname(directory), { recursive: true, mode: 0o700 });
  if (!isRoot || (await isOpenToAll(path.dirname(directory)))) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return directory;
  }
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  const target = path.join(await makeOpen('data'), name);
  const found = await lstat(directory).catch(() => null);
  // The files there belonged to a directory that has been deleted, or are an incomplete copy.
  if (found?.isSymbolicLink() !== true) await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true, mode: 0o700 });
  if (found?.isDirectory() === true) await move(directory, target);
  if (found?.isSymbolicLink() !== true) await symlink(target, directory);
  return target;
}

/** Moves what a folder has into another one, for the account that may enter that. */
async function move(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
  for (const { parentPath, name } of await readdir(to, { recursive: true, withFileTypes: true }))
    await AS_NOBODY.own(path.join(parentPath, name));
  await rm(from, { recursive: true });
}

/** Runs a program to its end. @throws Error with its output if it fails. */
export async function runAs(account: Account, program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(program, args, { cwd: '/', ...account.ids });
}

/** Starts a program that keeps running after this process exits. */
export function spawnAs(account: Account, program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { cwd: '/', detached: true, stdio: 'ignore', ...account.ids });
  child.unref();
  return child;
}
