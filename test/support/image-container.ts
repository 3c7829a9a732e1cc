import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What an image says about the processes that are started from it. */
export interface ImageConfig {
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Env: readonly string[];
  readonly User: string;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

interface InspectedImage {
  readonly Docker: {
    readonly config: ImageConfig;
    readonly rootfs: { readonly diff_ids: readonly string[] };
  };
}

/** Runs buildah, with the images of CONTAINERS_STORAGE_CONF; returns what it prints. */
export function buildah(...args: readonly string[]): string {
  return execFileSync('buildah', [...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}

/** An image's configuration, and the digests of its layers from the lowest. */
export function inspectImage(image: string): { config: ImageConfig; layers: readonly string[] } {
  const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', image)) as InspectedImage;
  return { config: Docker.config, layers: Docker.rootfs.diff_ids };
}

/** A container made from an image, in which many processes may run. */
export interface ImageContainer {
  readonly name: string;
  /** The folder of this machine that is its root. */
  readonly root: string;
}

/** Makes a container from an image. Its processes take files of this machine for host names, which need their places. */
export function openContainer(image: string): ImageContainer {
  const name = buildah('from', '--pull-never', image);
  const root = buildah('mount', name);
  mkdirSync(path.join(root, 'run'), { recursive: true });
  for (const file of ['etc/hosts', 'etc/resolv.conf'])
    writeFileSync(path.join(root, file), '', { flag: 'a' });
  return { name, root };
}

export function closeContainer({ name }: ImageContainer): void {
  buildah('umount', name);
  buildah('rm', name);
}

/** In a mount namespace of its own: the root becomes read-only. buildah writes below /run, where nobody else may. */
const READ_ONLY = `
  mount --make-rprivate / && mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" &&
  mount -t tmpfs -o mode=755 tmpfs "$1/run"`;

/** Starts a command in a container, as the image's user on a read-only file system, with these variables beside the image's. */
export function runInContainer(
  { name, root }: ImageContainer,
  command: readonly string[],
  variables: Readonly<Record<string, string>>,
): ChildProcess {
  const settings = Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const line = ['buildah', 'run', '--isolation', 'chroot', ...settings, name, '--', ...command];
  return spawn('unshare', ['--mount', 'sh', '-c', `${READ_ONLY} && shift && exec "$@"`, 'sh', root, ...line]);
}

/**
 * Starts a command in a container as the first process of a PID namespace, which signals do not end unless it handles
 * them, as a container without an init has it; with these variables alone.
 */
export function runAsFirstProcess(
  { root }: ImageContainer,
  command: readonly string[],
  user: string,
  variables: Readonly<Record<string, string>>,
): ChildProcess {
  const settings = Object.entries(variables).map(([key, value]) => `${key}=${value}`);
  const enter = `${READ_ONLY} && mount -t proc proc "$1/proc" && exec chroot --userspec=${user} "$@"`;
  const line = ['env', '--ignore-environment', '--chdir=/app', ...settings, ...command];
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  return spawn('unshare', [...namespaces, 'sh', '-c', enter, 'sh', root, ...line]);
}

/** The process ID of the program that a command of the container has become: no other process is below it. */
export function programOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the command was not started');
  let program = pid;
  for (;;) {
    const [child] = childrenOf(program);
    if (child === undefined) return program;
    program = child;
  }
}

/** The children that any thread of a process has started. */
function childrenOf(pid: number): readonly number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
  return lists.flatMap((list) => list.split(' ').filter((each) => each !== '')).map(Number);
}

/** The user and group IDs of a process, each real, effective, saved and of the file system. */
export function accountOf(pid: number): readonly string[] {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return [...status.matchAll(/^[UG]id:\t(.*)$/gm)].map(([, ids = '']) => ids);
}

/** Ends a process that is still there, and all above it. */
export async function killContainerProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  process.kill(programOf(child), 'SIGKILL');
  await ended;
}
