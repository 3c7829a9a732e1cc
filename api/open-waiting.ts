import { ChangeSequencer } from '../shared/db/changes/change-sequencer.ts';
import { NotificationListener } from '../shared/db/notification-listener.ts';
import { CHANGES_CHANNEL, IMPORTS_CHANNEL, Notifier } from '../shared/db/notifications.ts';
import type { Context } from '../shared/process/context.ts';
import { ChangeWaiter } from './changes/change-waiter.ts';
import type { ApiContext } from './context.ts';
import { ImportWaiter } from './imports/import-waiter.ts';

/** What wakes requests and streams that wait, by the notifications of other processes. */
export async function openWaiting({
  config,
  database,
  log,
  queueConnection,
}: Context): Promise<Pick<ApiContext, 'waiter' | 'changes' | 'changeWaiter' | 'close'>> {
  const waiter = new ImportWaiter(database, log);
  const changes = new ChangeSequencer(database, new Notifier(database, CHANGES_CHANNEL, log), log);
  const changeWaiter = new ChangeWaiter(database, changes, log);
  const url = config.database.listenUrl ?? queueConnection.databaseUrl;
  const listener = new NotificationListener(url, log, {
    [IMPORTS_CHANNEL]: (ids) => waiter.wake(ids),
    [CHANGES_CHANNEL]: (ids) => changeWaiter.notice(ids),
  });
  await listener.start();
  return {
    waiter,
    changes,
    changeWaiter,
    async close() {
      waiter.close();
      changeWaiter.close();
      await listener.close();
      await changes.close();
    },
  };
}
