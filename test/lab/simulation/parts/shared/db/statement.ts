import type * as product from '../../../../../../shared/db/statement.ts';
import { simulated } from '../../../simulated-database.ts';

export * from '../../../../../../shared/db/statement.ts';

/** The one statement whose function is not replaced: NOTIFY, with its channel and its payload. */
export const queryRows: typeof product.queryRows = async (database, statement, values) => {
  const text = typeof statement === 'string' ? statement : statement.text;
  if (!text.includes('pg_notify')) throw new Error(`not simulated: ${text}`);
  const simulation = simulated(database);
  const message = values?.['message'];
  if (typeof message !== 'string') throw new Error('a notification has no message');
  await simulation.run('notify', () => simulation.server.onNotify(message));
  return [];
};
