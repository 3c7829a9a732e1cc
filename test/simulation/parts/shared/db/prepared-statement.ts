import type * as product from '../../../../../shared/db/prepared-statement.ts';
import { simulated } from '../../../simulated-database.ts';

export * from '../../../../../shared/db/prepared-statement.ts';

/** The one statement whose function is not replaced: NOTIFY, with its channel and its payload. */
export const runPrepared: typeof product.runPrepared = async (database, { text }, [, payload]) => {
  if (!text.includes('pg_notify')) throw new Error(`not simulated: ${text}`);
  const simulation = simulated(database);
  await simulation.run('notify', () => simulation.server.onNotify(String(payload)));
  return [];
};
