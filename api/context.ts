import type { Redis } from 'ioredis';
import type { FairSlots } from '../shared/limits/fair-slots.ts';
import type { FairTurns } from '../shared/limits/fair-turns.ts';
import type { Context } from '../shared/process/context.ts';
import type { HealthOfParts } from './operations/health.ts';
import type { ApiMetrics } from './operations/api-metrics.ts';
import type { ArchiveReader } from './modules/archive-reader.ts';
import type { Access } from './auth/access.ts';
import type { Sessions } from './auth/sessions.ts';
import type { ApiKeys } from './auth/api-key.ts';
import type { StructureReader } from '../shared/db/structures/read-structures.ts';
import type { StreamSlots } from './structures/stream-slots.ts';
import type { FoundStructures } from './structures/structures-answer.ts';
import type { JsonBodies } from './http/json-bodies.ts';
import type { RateLimit } from './http/rate-limit.ts';
import type { SharedReads } from './http/shared-reads.ts';
import type { Stop } from './http/stop.ts';
import type { TokenExchange } from './trusted-publishing/token-exchange.ts';
import type { MachineRate } from './machine-access/machine-rate.ts';
import type { FairRate } from '../shared/limits/fair-rate.ts';
import type { RefusedCallers } from './http/refused-callers.ts';
import type { ImportRate } from './imports/import-rate.ts';
import type { StorageQuota } from './imports/storage-quota.ts';
import type { ChangeWaiter } from './changes/change-waiter.ts';
import type { ChangeSequencer } from '../shared/db/changes/change-sequencer.ts';
import type { ImportWaiter } from './imports/import-waiter.ts';
import type { Database } from '../shared/db/database.ts';
import type { LocatedFile } from '../shared/db/modules/located-file.ts';

/** The context of routes: that of the process, and what only the API has. */
export interface ApiContext extends Context {
  /** One connection for health answers and metrics, whatever the other requests do. */
  readonly healthDatabase: Database;
  readonly health: HealthOfParts;
  readonly access: Access;
  /** Null without PORTAL_CLIENT_ID: neither portal nor dashboard exist. */
  readonly sessions: Sessions | null;
  readonly archives: ArchiveReader;
  readonly apiKeys: Pick<ApiKeys, 'authenticate' | 'flush'>;
  /** Of the event loop: requests with different credentials begin in turns. */
  readonly arrivals: FairTurns;
  /** Of the event loop: each organization starts its requests in turns with the others. */
  readonly turns: FairTurns;
  /** Requests of an organization with tokens. */
  readonly requestRate: FairRate;
  readonly refusedCallers: RefusedCallers;
  readonly machineRate: MachineRate;
  readonly importRate: ImportRate;
  /** Of calls without a credential that read the database, by network. */
  readonly publicRate: RateLimit;
  readonly tokenExchange: TokenExchange;
  readonly uploadSlots: FairSlots;
  readonly storageQuota: StorageQuota;
  readonly jsonBodies: JsonBodies;
  readonly waiter: ImportWaiter;
  /** Gives positions to the changes that requests have made. */
  readonly changes: ChangeSequencer;
  readonly changeWaiter: ChangeWaiter;
  readonly moduleFileReads: SharedReads<LocatedFile | null>;
  readonly structures: StructureReader;
  /** Shares what modules' back ends read at the same time. */
  readonly structureReads: SharedReads<FoundStructures>;
  readonly streamSlots: StreamSlots;
  readonly exportSlots: FairSlots;
  readonly downloadSlots: FairSlots;
  /** Of event streams, and of requests that wait for changes. */
  readonly eventSlots: FairSlots;
  readonly stop: Stop;
  /** The origin of modules' applications for browsers; null: they are not served. */
  readonly applicationOrigin: string | null;
  readonly metrics: ApiMetrics;
  /** For limits that all API processes share; null without Redis. */
  readonly redis: Redis | null;
}
