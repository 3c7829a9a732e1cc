import type { Redis } from 'ioredis';
import type { Context } from '../shared/context.ts';
import type { ApiMetrics } from './api-metrics.ts';
import type { ArchiveReader } from './archive-reader.ts';
import type { Access } from './auth/access.ts';
import type { ApiKeyCheck } from './auth/api-key.ts';
import type { StructureReader } from '../shared/db/read-structures.ts';
import type { Stop } from './stop.ts';
import type { StreamSlots } from './stream-slots.ts';
import type { ImportWaiter } from './import-waiter.ts';

/** What the routes work with: the process's context, and what only the API has. */
export interface ApiContext extends Context {
  readonly access: Access;
  readonly archives: ArchiveReader;
  readonly apiKeys: ApiKeyCheck;
  readonly waiter: ImportWaiter;
  readonly structures: StructureReader;
  readonly streamSlots: StreamSlots;
  readonly exportSlots: StreamSlots;
  readonly stop: Stop;
  readonly metrics: ApiMetrics;
  /** For what all API processes count together; null without Redis. */
  readonly redis: Redis | null;
}
