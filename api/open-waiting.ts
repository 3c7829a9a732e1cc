import { ChangeSequencer } from '../shared/db/changes/change-sequencer.ts';
import { NotificationListener } from '../shared/db/notification-listener.ts';
import { CHANGES_CHANNEL, IMPORTS_CHANNEL, Notifier } from '../shared/db/notifications.ts';
import type { Context } from '../shared/process/context.ts';
import { ChangeWaiter } from './changes/change-waiter.ts';
import type { ApiContext } from './context.ts';
import type { ImportWaiter } from './imports/import-waiter.ts';

/** What wakes requests and streams that wait, by the notifications of other processes. */
export async function openWaiting(
  { config, database, log, queueConnection }: Context,
  importWaiter: ImportWaiter,
): Promise<Pick<ApiContext, 'changes' | 'changeWaiter' | 'close'>> {
  const changes = new ChangeSequencer(database, new Notifier(database, CHANGES_CHANNEL, log), log);
  const changeWaiter = new ChangeWaiter(database, changes, log);
  const url = config.database.listenUrl ?? queueConnection.databaseUrl;
  const listener = new NotificationListener(url, log, {
    [IMPORTS_CHANNEL]: (ids) => importWaiter.wake(ids),
    [CHANGES_CHANNEL]: (ids) => changeWaiter.notice(ids),
  });
  await listener.start();
  return {
    changes,
    changeWaiter,
    async close() {
      importWaiter.close();
      changeWaiter.close();
      await listener.close();
      await changes.close();
    },
  };
}
