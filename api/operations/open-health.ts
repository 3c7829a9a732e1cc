import { openDatabase, type Database } from '../../shared/db/database.ts';
import { requireSchema } from '../../shared/db/schema-ready.ts';
import type { Context, Parts } from '../../shared/process/context.ts';
import { discoverIssuer } from '../auth/discover-issuer.ts';
import { HealthChecks } from './health.ts';

/** The parts whose state `/readyz` reports. */
export type HealthOfParts = HealthChecks<'database' | 'storage' | 'queue' | 'issuer'>;

/** Somebody else's server, and its answer changes rarely. */
const ISSUER_CHECK_KEPT_MS = 5_000;

/** One connection for health answers and metrics, whatever the other requests do. */
export function openHealthDatabase({ queueConnection, log }: Parts): Database {
  return openDatabase({ url: queueConnection.databaseUrl, poolSize: 1, log });
}

/** Checks of the parts, the database by a connection of its own. */
export function openHealth(
  { storage, queue, queueConnection, log }: Parts & Pick<Context, 'queue'>,
  healthDatabase: Database,
  issuer: string,
): HealthOfParts {
  return new HealthChecks(
    {
      database: { check: () => requireSchema(healthDatabase, queueConnection.databaseUrl), isVital: true },
      storage: { check: () => storage.check(), isVital: true },
      queue: { check: () => queue.check(), isVital: false },
      issuer: { check: () => discoverIssuer(issuer), isVital: false, keptMs: ISSUER_CHECK_KEPT_MS },
    },
    log,
  );
}
