import type { ChangeSequencer } from '../../shared/db/changes/change-sequencer.ts';
import { findChangedModules, newestCursor } from '../../shared/db/changes/read-changes.ts';
import type { Database } from '../../shared/db/database.ts';
import type { Log } from '../../shared/telemetry/log.ts';
import { NotifiedWaiter } from '../http/answer/notified-waiter.ts';

/**
 * Wakes the requests and streams that wait for changes of a module. However many wait, a notification costs no query but
 * their own, and one query at each poll covers for notifications that were lost.
 */
export class ChangeWaiter extends NotifiedWaiter<true> {
  #seenPosition = 0;

  constructor(database: Database, sequencer: ChangeSequencer, log: Log) {
    super(log, 'awaited changes not read', async (moduleIds) => {
      await sequencer.sequence();
      const { position: head } = await newestCursor(database);
      if (head !== this.#seenPosition)
        this.notice(await findChangedModules(database, moduleIds, this.#seenPosition));
      this.#seenPosition = head;
    });
  }

  /** Wakes those that wait for changes of these modules. */
  notice(moduleIds: readonly string[]): void {
    for (const id of moduleIds) for (const watch of this.watchesOf(id)) watch.notice(true);
  }
}
