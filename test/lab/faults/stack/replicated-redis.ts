import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../../../../shared/local/free-port.ts';
import { Forwarder } from '../../../support/hosts/forwarder.ts';
import { DURABLE_REDIS, startRedisServer, type PartServer } from '../../../support/part-servers.ts';

/** The delay of the replica, which lacks the latest writes when it takes over. */
const LOST_MS = 1_000;
const POLL_MS = 20;

/** Redis with replicas, one of which takes its address over when it dies. */
export class ReplicatedRedis {
  readonly url: string;
  readonly #program: string;
  readonly #folder: string;
  readonly #address: Forwarder;
  #primary: PartServer;
  #servers = 1;

  private constructor(
    program: string,
    folder: string,
    address: Forwarder,
    port: number,
    primary: PartServer,
  ) {
    this.url = `redis://127.0.0.1:${port}`;
    this.#program = program;
    this.#folder = folder;
    this.#address = address;
    this.#primary = primary;
  }

  static async open(program: string, folder: string): Promise<ReplicatedRedis> {
    const port = await freePort();
    const primary = await startServer(program, path.join(folder, 'redis-0'));
    const address = await Forwarder.open({ address: '127.0.0.1', port, targetPort: primary.port });
    return new ReplicatedRedis(program, folder, address, port, primary);
  }

  /** A replica is cut off; a second later the primary dies, and the replica takes its place. */
  async failOver(): Promise<void> {
    const old = this.#primary;
    const replica = await startServer(this.#program, path.join(this.#folder, `redis-${this.#servers}`));
    this.#servers += 1;
    const client = new Redis(replica.port, '127.0.0.1');
    await client.replicaof('127.0.0.1', old.port);
    while (!(await client.info('replication')).includes('master_link_status:up')) await setTimeout(POLL_MS);
    await client.replicaof('NO', 'ONE');
    client.disconnect();
    await setTimeout(LOST_MS);
    await kill(old);
    this.#primary = replica;
    this.#address.redirect(replica.port);
  }

  async stop(): Promise<void> {
    this.#address.close();
    await kill(this.#primary);
  }
}

async function startServer(program: string, folder: string): Promise<PartServer> {
  await mkdir(folder);
  // By default a primary waits five seconds for other replicas before it sends its data.
  const settings = [...DURABLE_REDIS, '--repl-diskless-sync-delay', '0'];
  return startRedisServer(program, await freePort(), folder, settings);
}

async function kill(server: PartServer): Promise<void> {
  const ended = once(server.process, 'exit');
  server.process.kill('SIGKILL');
  await ended;
}
