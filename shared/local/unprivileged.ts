import { execFile, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chown, chmod } from 'node:fs/promises';
import { promisify } from 'node:util';

/** How PostgreSQL, which refuses root, is run. */
export interface Account {
  /** Put before the program and its arguments. */
  readonly prefix: readonly string[];
  readonly ids: { readonly uid: number; readonly gid: number } | null;
  /** Gives a file to the account. */
  own(file: string): Promise<void>;
}

const NOBODY = 65_534;
const OWN_ACCOUNT: Account = { prefix: [], ids: null, own: () => Promise.resolve() };

/**
 * The account for a directory and a program: this process's own unless it is root; else `nobody`, where
 * `nobody` can enter both; else a user namespace in which root's files are nobody's.
 */
export async function chooseAccount(directory: string, program: string): Promise<Account> {
  if (process.platform === 'win32' || process.getuid?.() !== 0) return OWN_ACCOUNT;
  const ids = { uid: NOBODY, gid: NOBODY };
  const probe = spawnSync('test', ['-x', program, '-a', '-d', directory], { ...ids, cwd: '/' });
  if (probe.status === 0) {
    const own = (file: string) => chown(file, NOBODY, NOBODY);
    await own(directory);
    await chmod(directory, 0o700);
    return { prefix: [], ids, own };
  }
  const prefix = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];
  if (spawnSync('unshare', [...prefix.slice(1), 'true']).status === 0) return { ...OWN_ACCOUNT, prefix };
  throw new Error(
    'PostgreSQL does not run as root, and no other account can reach its files. Set DATABASE_URL, or start as another user.',
  );
}

/** Runs a program to its end. @throws Error with what it said, when it fails. */
export async function runAs(account: Account, program: string, args: readonly string[]): Promise<void> {
  const [command = program, ...rest] = [...account.prefix, program, ...args];
  await promisify(execFile)(command, rest, { cwd: '/', ...account.ids });
}

/** Starts a program that outlives this process. */
export function spawnAs(account: Account, program: string, args: readonly string[]): ChildProcess {
  const [command = program, ...rest] = [...account.prefix, program, ...args];
  const child = spawn(command, rest, { cwd: '/', detached: true, stdio: 'ignore', ...account.ids });
  child.unref();
  return child;
}
