import { execFile, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chown, chmod } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The account that runs PostgreSQL, which refuses root. */
export interface Account {
  /** Prepended to the program and its arguments. */
  readonly prefix: readonly string[];
  readonly ids: { readonly uid: number; readonly gid: number } | null;
  /** Changes the owner of a file to the account. */
  own(file: string): Promise<void>;
}

const NOBODY = 65_534;
const OWN_ACCOUNT: Account = { prefix: [], ids: null, own: () => Promise.resolve() };

/**
 * The account for a directory and a program: that of this process unless it is root; otherwise `nobody` if it can
 * access both; otherwise a user namespace in which root's files belong to nobody.
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
    'PostgreSQL does not run as root, and no other account can access its files. Set DATABASE_URL, or start as another user.',
  );
}

/** Runs a program to its end. @throws Error with its output if it fails. */
export async function runAs(account: Account, program: string, args: readonly string[]): Promise<void> {
  const [command = program, ...rest] = [...account.prefix, program, ...args];
  await promisify(execFile)(command, rest, { cwd: '/', ...account.ids });
}

/** Starts a program that keeps running after this process exits. */
export function spawnAs(account: Account, program: string, args: readonly string[]): ChildProcess {
  const [command = program, ...rest] = [...account.prefix, program, ...args];
  const child = spawn(command, rest, { cwd: '/', detached: true, stdio: 'ignore', ...account.ids });
  child.unref();
  return child;
}
