import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Set in a process that runs in a network of its own. */
const MARK = 'TEST_OWN_NETWORK';
/** The network card of this process that leads to the hosts. */
export const BRIDGE = 'hosts';

/** The address at which hosts reach this process, and its target. */
export const CENTRE = '10.77.0.1';

/** Whether this process runs in a network of its own, to which hosts can be joined. */
export const hasOwnNetwork = process.env[MARK] === '1';

/** Runs a program to its end. @throws Error with its output, where it exits with another code than 0 */
export function run(program: string, ...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
}

/** Starts a process that holds a network of its own until it ends, at the latest with this process. */
export async function holdNetwork(): Promise<ChildProcess> {
  const holder = spawn('unshare', ['--net', 'sh', '-c', 'echo ready && exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  return holder;
}

/** A prefix of the command of a program that is to run in the network of a process. */
export const inNetworkOf = ({ pid = 0 }: ChildProcess): readonly [string, ...string[]] => [
  'nsenter',
  `--net=/proc/${pid}/ns/net`,
];

/** Whether this process may create networks of virtual hosts on this machine. */
export function canMakeNetworks(): boolean {
  const bridge = ['--net', 'ip', 'link', 'add', BRIDGE, 'type', 'bridge'];
  return spawnSync('unshare', bridge, { stdio: 'ignore' }).status === 0;
}

/**
 * Starts this program again in a network of its own, and waits for its end.
 * @returns false, having done nothing, where this is that program, or the machine does not allow it.
 */
export async function runInOwnNetwork(): Promise<boolean> {
  if (hasOwnNetwork || !canMakeNetworks()) return false;
  const args = ['--net', process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const child = spawn('unshare', args, { stdio: 'inherit', env: { ...process.env, [MARK]: '1' } });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal));
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  process.exitCode = exitCode ?? 1;
  return true;
}

/** Brings the network up: loopback for the parts, and a bridge that hosts are joined to. */
export function openOwnNetwork(): void {
  run('ip', 'link', 'set', 'lo', 'up');
  run('ip', 'link', 'add', BRIDGE, 'type', 'bridge');
  run('ip', 'address', 'add', `${CENTRE}/24`, 'dev', BRIDGE);
  run('ip', 'link', 'set', BRIDGE, 'up');
}

/** Joins one end of a new cable to the bridge; the other is in the network of a process. */
export function plugIn(cable: string, pid: number, address: string): void {
  const inside = (...args: readonly string[]) => run('nsenter', `--net=/proc/${pid}/ns/net`, 'ip', ...args);
  run('ip', 'link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid));
  run('ip', 'link', 'set', cable, 'master', BRIDGE, 'up');
  inside('address', 'add', `${address}/24`, 'dev', 'eth0');
  inside('link', 'set', 'eth0', 'up');
  inside('link', 'set', 'lo', 'up');
}
