import type { Redis } from 'ioredis';
import type { Context } from '../shared/process/context.ts';
import type { ApiMetrics } from './operations/api-metrics.ts';
import type { ArchiveReader } from './modules/archive-reader.ts';
import type { Access } from './auth/access.ts';
import type { ApiKeys } from './auth/api-key.ts';
import type { StructureReader } from '../shared/db/structures/read-structures.ts';
import type { FoundStructures } from './structures/structures-answer.ts';
import type { SharedReads } from './http/shared-reads.ts';
import type { Stop } from './http/stop.ts';
import type { ConcurrencyLimit } from './http/concurrency-limit.ts';
import type { RateLimit } from './http/rate-limit.ts';
import type { MachineRate } from './machine-access/machine-rate.ts';
import type { ImportWaiter } from './imports/import-waiter.ts';
import type { LocatedFile } from '../shared/db/modules/located-file.ts';

/** The context of routes: that of the process, and what only the API has. */
export interface ApiContext extends Context {
  readonly access: Access;
  readonly archives: ArchiveReader;
  readonly apiKeys: Pick<ApiKeys, 'authenticate' | 'flush'>;
  readonly machineRate: MachineRate;
  readonly importRate: RateLimit;
  readonly uploadSlots: ConcurrencyLimit;
  readonly waiter: ImportWaiter;
  readonly moduleFileReads: SharedReads<LocatedFile | null>;
  readonly structures: StructureReader;
  /** Shares what modules' back ends read at the same time. */
  readonly structureReads: SharedReads<FoundStructures>;
  readonly streamSlots: ConcurrencyLimit;
  readonly exportSlots: ConcurrencyLimit;
  readonly stop: Stop;
  readonly metrics: ApiMetrics;
  /** For limits that all API processes share; null without Redis. */
  readonly redis: Redis | null;
}
