import { copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../../../shared/local/free-port.ts';
import { startPostgres, type RunningPostgres } from '../../../../shared/local/postgres.ts';
import { chooseAccount, runAs } from '../../../../shared/local/unprivileged.ts';
import { Forwarder } from '../../../support/hosts/forwarder.ts';
import { exited } from './exited.ts';

/** The delay of an asynchronous standby, which lacks the latest commits when it takes over. */
const LOST_MS = 1_000;
const POLL_MS = 20;

/** From the first commit that a standby may lack to the end of the primary. */
export interface LossWindow {
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Server {
  readonly folder: string;
  readonly running: RunningPostgres;
}

/** PostgreSQL with standbys, one of which takes its address over when it dies. */
export class ReplicatedPostgres {
  /** Of its first database, at the address that every primary has in turn. */
  readonly url: string;
  /** Commits in these may be gone. */
  readonly lossWindows: LossWindow[] = [];
  readonly #programs: string;
  readonly #folder: string;
  readonly #address: Forwarder;
  #primary: Server;
  #servers = 1;

  private constructor(programs: string, folder: string, address: Forwarder, port: number, primary: Server) {
    const url = new URL(primary.running.url);
    url.port = String(port);
    this.url = url.href;
    this.#programs = programs;
    this.#folder = folder;
    this.#address = address;
    this.#primary = primary;
  }

  /** Starts the primary, in a folder of its own. */
  static async open(programs: string, parent: string): Promise<ReplicatedPostgres> {
    const folder = path.join(parent, 'postgres-0');
    const [port, targetPort] = [await freePort(), await freePort()];
    const running = await startPostgres(folder, { programs, port: targetPort });
    const address = await Forwarder.open({ address: '127.0.0.1', port, targetPort });
    return new ReplicatedPostgres(programs, parent, address, port, { folder, running });
  }

  /** An asynchronous standby is promoted while the primary still commits; a second later the primary dies. */
  async failOver(): Promise<void> {
    const standby = await this.#startStandby();
    const fromMs = Date.now();
    // Whatever was acknowledged before is on the standby; so is nothing that the primary commits after the promotion.
    const [end = ''] = await query(this.#primary, 'select pg_current_wal_insert_lsn()');
    await until(standby, `select pg_last_wal_receive_lsn() >= '${end}'`);
    await query(standby, 'select pg_promote()');
    await setTimeout(LOST_MS);
    await this.#replacePrimary(standby);
    this.lossWindows.push({ fromMs, untilMs: Date.now() });
  }

  /** The primary dies while each commit waits for the standby. */
  async failOverSynchronously(): Promise<void> {
    const standby = await this.#startStandby();
    await query(this.#primary, "alter system set synchronous_standby_names = '*'");
    await query(this.#primary, 'select pg_reload_conf()');
    await until(this.#primary, "select count(*) > 0 from pg_stat_replication where sync_state = 'sync'");
    await setTimeout(LOST_MS);
    await this.#replacePrimary(standby, () => query(standby, 'select pg_promote()'));
  }

  async stop(): Promise<void> {
    this.#address.close();
    await this.#primary.running.stop();
  }

  async #replacePrimary(standby: Server, promote?: () => Promise<unknown>): Promise<void> {
    const old = this.#primary;
    process.kill(old.running.pid, 'SIGQUIT');
    await exited(old.running.pid);
    await promote?.();
    this.#primary = standby;
    this.#address.redirect(Number(new URL(standby.running.url).port));
    await rm(old.folder, { recursive: true, force: true });
  }

  async #startStandby(): Promise<Server> {
    const folder = path.join(this.#folder, `postgres-${this.#servers}`);
    this.#servers += 1;
    await mkdir(folder);
    const account = await chooseAccount(folder);
    const backup = ['-d', this.#primary.running.url, '-D', path.join(folder, 'data')];
    const standby = ['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast', '--no-sync'];
    await runAs(account, path.join(this.#programs, 'pg_basebackup'), [...backup, ...standby]);
    await copyFile(path.join(this.#primary.folder, 'password'), path.join(folder, 'password'));
    const running = await startPostgres(folder, { programs: this.#programs, port: await freePort() });
    const replicating = "select count(*) > 0 from pg_stat_wal_receiver where status = 'streaming'";
    await until({ folder, running }, replicating);
    return { folder, running };
  }
}

/** Runs a statement on a server itself; returns the first column. */
async function query({ running }: Server, sql: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: running.url });
  await client.connect();
  try {
    const { rows } = await client.query<string[]>({ text: sql, rowMode: 'array' });
    return rows.map(([value]) => String(value));
  } finally {
    await client.end();
  }
}

async function until(server: Server, sql: string): Promise<void> {
  while ((await query(server, sql))[0] !== 'true') await setTimeout(POLL_MS);
}
