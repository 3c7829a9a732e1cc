import type { Redis } from 'ioredis';
import type { FairSlots } from '../shared/limits/fair-slots.ts';
import type { FairTurns } from '../shared/limits/fair-turns.ts';
import type { Context } from '../shared/process/context.ts';
import type { HealthChecks } from './operations/health.ts';
import type { ApiMetrics } from './operations/api-metrics.ts';
import type { ArchiveReader } from './modules/archive-reader.ts';
import type { Access } from './auth/access.ts';
import type { Sessions } from './auth/sessions.ts';
import type { ApiKeys } from './auth/api-key.ts';
import type { StructureReader } from '../shared/db/structures/read-structures.ts';
import type { StreamSlots } from './structures/stream-slots.ts';
import type { FoundStructures } from './structures/structures-answer.ts';
import type { JsonBodies } from './http/json-bodies.ts';
import type { SharedReads } from './http/shared-reads.ts';
import type { Stop } from './http/stop.ts';
import type { TokenExchange } from './trusted-publishing/token-exchange.ts';
import type { MachineRate } from './machine-access/machine-rate.ts';
import type { ImportRate } from './imports/import-rate.ts';
import type { StorageQuota } from './imports/storage-quota.ts';
import type { ImportWaiter } from './imports/import-waiter.ts';
import type { Database } from '../shared/db/database.ts';
import type { LocatedFile } from '../shared/db/modules/located-file.ts';

/** The context of routes: that of the process, and what only the API has. */
export interface ApiContext extends Context {
  /** One connection for health answers and metrics, whatever the other requests do. */
  readonly healthDatabase: Database;
  readonly health: HealthChecks<'database' | 'storage' | 'queue' | 'issuer'>;
  readonly access: Access;
  /** Null without PORTAL_CLIENT_ID: neither portal nor dashboard exist. */
  readonly sessions: Sessions | null;
  readonly archives: ArchiveReader;
  readonly apiKeys: Pick<ApiKeys, 'authenticate' | 'flush'>;
  /** Of the event loop: each organization starts its requests in turns with the others. */
  readonly turns: FairTurns;
  readonly machineRate: MachineRate;
  readonly importRate: ImportRate;
  readonly tokenExchange: TokenExchange;
  readonly uploadSlots: FairSlots;
  readonly storageQuota: StorageQuota;
  readonly jsonBodies: JsonBodies;
  readonly waiter: ImportWaiter;
  readonly moduleFileReads: SharedReads<LocatedFile | null>;
  readonly structures: StructureReader;
  /** Shares what modules' back ends read at the same time. */
  readonly structureReads: SharedReads<FoundStructures>;
  readonly streamSlots: StreamSlots;
  readonly exportSlots: FairSlots;
  readonly downloadSlots: FairSlots;
  /** Of the event streams of imports. */
  readonly eventSlots: FairSlots;
  readonly stop: Stop;
  readonly metrics: ApiMetrics;
  /** For limits that all API processes share; null without Redis. */
  readonly redis: Redis | null;
}
