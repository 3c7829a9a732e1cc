import type * as product from '../../../../../../shared/db/statement.ts';
import { simulated } from '../../../simulated-database.ts';

export * from '../../../../../../shared/db/statement.ts';

/** The one statement whose function is not replaced: NOTIFY for imports. */
export const queryRows: typeof product.queryRows = async (database, statement, values) => {
  const text = typeof statement === 'string' ? statement : statement.text;
  if (!text.includes('pg_notify')) throw new Error(`not simulated: ${text}`);
  const simulation = simulated(database);
  const { server } = simulation;
  const ids = (values as { readonly ids: readonly string[] }).ids;
  await simulation.run('notify', () => {
    for (const id of ids) server.onNotify(server.imports.message(id));
  });
  return [];
};
