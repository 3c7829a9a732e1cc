import type { Log } from '../../telemetry/log.ts';
import { forService } from '../../limits/owner.ts';
import { outsideSpans } from '../../telemetry/current-span.ts';
import type { Database } from '../database.ts';
import type { Notifier } from '../notifications.ts';
import { onlyRow, preparedStatement, queryRows } from '../statement.ts';
import { OPERATOR_OWNER } from '../webhooks/operator-owner.ts';
import { OPERATOR_TYPES } from './change-types.ts';

/** Changes wait this long for others, so that one run covers many requests. */
const SOON_MS = 50;

/**
 * Gives positions to changes after their commits, one run at a time in a process, and notifies all processes of the
 * modules. A process may die between its commit and this: the next run of any other covers for it.
 */
export class ChangeSequencer {
  readonly #database: Database;
  readonly #notifier: Notifier;
  readonly #log: Log;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(database: Database, notifier: Notifier, log: Log) {
    this.#database = database;
    this.#notifier = notifier;
    this.#log = log;
  }

  /** Resolves when everything that was committed before the call has its position, or an attempt has failed. */
  async sequence(): Promise<void> {
    if (this.#running === null) return this.#start();
    // The one that runs may have started before the commit.
    this.#next ??= this.#running.then(async () => {
      this.#next = null;
      return this.#start();
    });
    return this.#next;
  }

  /** Gives positions to what was committed before the call within a moment, together with what comes until then. */
  soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.sequence();
    }, SOON_MS);
  }

  /** Gives positions to what waits for it, and waits for what runs, notifications included. */
  async close(): Promise<void> {
    if (this.#timer !== null) void this.sequence();
    await this.#next;
    await this.#running;
    await this.#notifier.close();
  }

  async #start(): Promise<void> {
    // The awaited changes are committed: this run has them.
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#running = this.#run().finally(() => (this.#running = null));
    return this.#running;
  }

  async #run(): Promise<void> {
    try {
      // For everybody, not for the request that started it.
      const moduleIds = await forService(() => sequenceChanges(this.#database));
      for (const id of moduleIds) this.#notifier.changed(id);
    } catch (error) {
      // Changes wait in the outbox for the next run.
      outsideSpans(() => this.#log.warn({ err: error }, 'changes not sequenced'));
    }
  }
}

/** Any number, the same in every version: the process that has the lock gives positions, the others wait. */
export const SEQUENCER_LOCK = 7_245_002;

/*
 * All rows that are visible now, in the order in which they were written, get the next positions. Everything that was
 * committed before a visible row is visible too, so no row that comes later was committed earlier, and a transaction
 * that takes long delays nobody. An organization's modules are looked up here, after the commit: a module that is
 * installed while structures are written is notified of the change, or reads them with the change. A webhook that is
 * paused is noted too: it may be enabled at the same time. If the operator has webhooks, what concerns them is also a
 * change of the module that stands for all.
 */
const SEQUENCE = preparedStatement(`
  with taken as (
    delete from outbox returning *
  ), sequenced as (
    insert into changes (module_id, organization_id, type, at, subject)
    select module_id, organization_id, type, at, subject
    from (
      select coalesce(t.module_id, i.module_id) as module_id, t.organization_id, t.type, t.at, t.subject, t.sequence
      from taken t left join installations i on t.module_id is null and i.organization_id = t.organization_id
      union all
      select :operator::uuid, coalesce(t.organization_id, m.organization_id), t.type, t.at,
        jsonb_build_object('moduleId', m.id) || t.subject, t.sequence
      from taken t join modules m on m.id = t.module_id and m.id <> :operator::uuid
      where t.type = any(:operatorTypes)
    ) as concerned
    where module_id is not null
      and (module_id <> :operator::uuid or exists (select from webhooks where module_id = :operator::uuid))
    order by sequence, module_id
    returning module_id
  ), behind as (
    insert into webhooks_behind (organization_id, webhook_id)
    select organization_id, id from webhooks where module_id in (select module_id from sequenced)
  )
  select distinct module_id from sequenced`);

/** Until the transaction ends, no change gets a position. */
export async function lockSequencer(transaction: Database): Promise<void> {
  await transaction.raw(`select pg_advisory_xact_lock(${SEQUENCER_LOCK})`);
}

const IS_ANY_WAITING = preparedStatement('select exists (select from outbox) as is_waiting');

/** Gives positions to all changes that are committed; returns the modules that they concern. */
export async function sequenceChanges(database: Database): Promise<readonly string[]> {
  if (!(await onlyRow<{ isWaiting: boolean }>(database, IS_ANY_WAITING)).isWaiting) return [];
  return database.transaction(async (transaction) => {
    await lockSequencer(transaction);
    // A statement of its own: it sees what the previous holder of the lock has committed.
    const sequenced = await queryRows<{ moduleId: string }>(transaction, SEQUENCE, {
      operator: OPERATOR_OWNER.moduleId,
      operatorTypes: [...OPERATOR_TYPES],
    });
    return sequenced.map(({ moduleId }) => moduleId);
  });
}
