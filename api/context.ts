import type { Redis } from 'ioredis';
import type { Context } from '../shared/process/context.ts';
import type { ApiMetrics } from './operations/api-metrics.ts';
import type { ArchiveReader } from './modules/archive-reader.ts';
import type { Access } from './auth/access.ts';
import type { ApiKeyCheck } from './auth/api-key.ts';
import type { StructureReader } from '../shared/db/structures/read-structures.ts';
import type { Stop } from './http/stop.ts';
import type { StreamSlots } from './http/stream-slots.ts';
import type { MachineRate } from './machine-access/machine-rate.ts';
import type { ImportRate } from './imports/import-rate.ts';
import type { ImportWaiter } from './imports/import-waiter.ts';
import type { UploadSlots } from './imports/upload-slots.ts';
import type { SharedReads } from './http/shared-reads.ts';
import type { LocatedFile } from '../shared/db/modules/located-file.ts';

/** What the routes work with: the process's context, and what only the API has. */
export interface ApiContext extends Context {
  readonly access: Access;
  readonly archives: ArchiveReader;
  readonly apiKeys: ApiKeyCheck;
  readonly machineRate: MachineRate;
  readonly importRate: ImportRate;
  readonly uploadSlots: UploadSlots;
  readonly waiter: ImportWaiter;
  readonly moduleFileReads: SharedReads<LocatedFile | null>;
  readonly structures: StructureReader;
  readonly streamSlots: StreamSlots;
  readonly exportSlots: StreamSlots;
  readonly stop: Stop;
  readonly metrics: ApiMetrics;
  /** For what all API processes count together; null without Redis. */
  readonly redis: Redis | null;
}
