import type { Database } from '../../shared/db/database.ts';

/** A worker on a new database collects garbage at once. Tests that pause or count its calls of storage postpone that. */
export async function postponeCollection(database: Database): Promise<void> {
  const dueAt = database.raw("now() + interval '1 hour'");
  await database('leases').insert({ name: 'collect-garbage', expiresAt: database.raw('now()'), dueAt });
}
